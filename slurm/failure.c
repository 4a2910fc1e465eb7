// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/failure.h"

#include <errno.h>
#include <slurm/slurm_errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

// Whole blocks of numbers, since their names change from release to release.
enum {
    SOCKET_ERROR_FIRST = 5000, // a connection that broke or ran out of time
    SOCKET_ERROR_LAST = 5099,
    AUTH_ERROR_FIRST = 6000, // munge
    AUTH_ERROR_LAST = 6099,
    CTLD_BACKOFF = 1804,   // since 23.02: too many requests, none of it was done
    CTLD_HARD_DROP = 1805, // since 23.02: the connection was dropped
};

const char *failure_class_name(enum failure_class class)
{
    switch (class) {
    case CLASS_DOWN:
        return "down";
    case CLASS_UNCLEAR:
        return "unclear";
    case CLASS_LIMIT:
        return "limit";
    case CLASS_REFUSED:
        return "refused";
    case CLASS_GONE:
        return "gone";
    case CLASS_FOREIGN:
        return "foreign";
    case CLASS_SLURM:
        break;
    }
    return "slurm";
}

// No connection was made, or slurmctld said that it does not serve: the request
// was surely not carried out.
static bool is_down(int code)
{
    switch (code) {
    case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
    case SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR:
    case ESLURM_IN_STANDBY_MODE:
    case ESLURM_IN_STANDBY_USE_BACKUP:
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
        return true;
    default:
        return false;
    }
}

// The connection broke, ran out of time, or the answer could not be verified:
// the request may have been carried out. An authentication error is here since
// it can be the answer's as well as the request's.
static bool is_lost(int code)
{
    switch (code) {
    case SLURM_ERROR: // libslurm named no reason
    case SLURM_UNEXPECTED_MSG_ERROR:
    case SLURM_COMMUNICATIONS_SEND_ERROR:
    case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
    case SLURM_COMMUNICATIONS_SHUTDOWN_ERROR:
    case SLURM_COMMUNICATIONS_MISSING_SOCKET_ERROR:
    case SLURM_PROTOCOL_AUTHENTICATION_ERROR:
    case SLURM_PROTOCOL_INSANE_MSG_LENGTH:
    case SLURMCTLD_COMMUNICATIONS_SEND_ERROR:
    case SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR:
    case SLURMCTLD_COMMUNICATIONS_SHUTDOWN_ERROR:
    case CTLD_HARD_DROP:
    case ETIMEDOUT:
    case ECONNRESET:
    case ECONNABORTED:
    case ENOTCONN:
    case EPIPE:
    case EINTR:
    case EIO:
        return true;
    default:
        return (code >= SOCKET_ERROR_FIRST && code <= SOCKET_ERROR_LAST) ||
               (code >= AUTH_ERROR_FIRST && code <= AUTH_ERROR_LAST);
    }
}

// What passes without a change of the request. sbatch too waits and tries again
// on EAGAIN (MaxJobCount reached) and ESLURM_ERROR_ON_DESC_TO_RECORD_COPY (job
// queue full). ESLURM_ACCOUNTING_POLICY stands for submit limits as well as for
// a size over a limit; waiting, in sight of the operator, harms neither.
static bool is_limit(int code)
{
    switch (code) {
    case EAGAIN:
    case CTLD_BACKOFF:
    case ESLURM_ERROR_ON_DESC_TO_RECORD_COPY:
    case ESLURM_NODES_BUSY:
    case ESLURM_JOB_PENDING:
    case ESLURM_ACCOUNTING_POLICY:
    case ESLURM_RESERVATION_BUSY:
    case ESLURM_RESERVATION_MAINT:
    case ESLURM_PORTS_BUSY:
    case ESLURM_NODE_NOT_AVAIL:
    case ESLURM_PARTITION_NOT_AVAIL:
    case ESLURM_QOS_THRES:
    case ESLURM_PARTITION_IN_USE:
    case ESLURM_CAN_NOT_START_IMMEDIATELY:
    case ESLURM_INTERCONNECT_BUSY:
    case ESLURM_BURST_BUFFER_LIMIT:
    case ESLURM_BURST_BUFFER_WAIT:
    case ESLURM_PARTITION_DOWN:
    case ESLURM_SUBMISSIONS_DISABLED:
    case ESLURM_REBOOT_IN_PROGRESS:
    case ESLURM_DEFER:
        return true;
    default:
        return false;
    }
}

// Something in the request names what this cluster does not have or allow.
static bool is_refused(int code)
{
    switch (code) {
    case ESLURM_INVALID_PARTITION_NAME:
    case ESLURM_DEFAULT_PARTITION_NOT_SET:
    case ESLURM_ACCESS_DENIED:
    case ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP:
    case ESLURM_REQUESTED_NODES_NOT_IN_PARTITION:
    case ESLURM_TOO_MANY_REQUESTED_CPUS:
    case ESLURM_INVALID_NODE_COUNT:
    case ESLURM_JOB_MISSING_SIZE_SPECIFICATION:
    case ESLURM_JOB_SCRIPT_MISSING:
    case ESLURM_USER_ID_MISSING:
    case ESLURM_PATHNAME_TOO_LONG:
    case ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE:
    case ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE:
    case ESLURM_INVALID_NODE_NAME:
    case ESLURM_BAD_DIST:
    case ESLURM_BAD_TASK_COUNT:
    case ESLURM_INVALID_FEATURE:
    case ESLURM_NOT_SUPPORTED:
    case ESLURM_DEPENDENCY:
    case ESLURM_BATCH_ONLY:
    case ESLURM_INVALID_TASK_MEMORY:
    case ESLURM_INVALID_ACCOUNT:
    case ESLURM_INVALID_LICENSES:
    case ESLURM_INVALID_TIME_LIMIT:
    case ESLURM_RESERVATION_ACCESS:
    case ESLURM_RESERVATION_INVALID:
    case ESLURM_RESERVATION_NOT_USABLE:
    case ESLURM_INVALID_TIME_VALUE:
    case ESLURM_INVALID_WCKEY:
    case ESLURM_INVALID_QOS:
    case ESLURM_INVALID_CPU_COUNT:
    case ESLURM_INVALID_GRES:
    case ESLURM_DUPLICATE_GRES:
    case ESLURM_INVALID_CORE_CNT:
    case ESLURM_GROUP_ID_MISSING:
    case ESLURM_BATCH_CONSTRAINT:
    case ESLURM_INVALID_TRES:
    case ESLURM_INVALID_GRES_TYPE:
    case ESLURM_UNSUPPORTED_GRES:
    case ESLURM_ENVIRONMENT_MISSING:
    case ESLURM_BAD_THREAD_PER_CORE:
    case ESLURM_INSUFFICIENT_GRES:
    case ESLURM_MISSING_TIME_LIMIT:
        return true;
    default:
        return false;
    }
}

enum failure_class failure_classify(int code, enum failure_of of)
{
    if (is_down(code))
        return CLASS_DOWN;
    if (is_lost(code))
        return of == FAILURE_OF_SUBMIT ? CLASS_UNCLEAR : CLASS_DOWN;
    if (of == FAILURE_OF_CANCEL && (code == ESLURM_INVALID_JOB_ID || code == ESLURM_ALREADY_DONE))
        return CLASS_GONE;
    if (is_limit(code))
        return CLASS_LIMIT;
    if (is_refused(code))
        return CLASS_REFUSED;
    return CLASS_SLURM;
}

int failure_set(struct failure *f, enum failure_class class, const char *fmt, ...)
{
    va_list ap;

    *f = (struct failure){.class = class};
    va_start(ap, fmt);
    vsnprintf(f->text, sizeof(f->text), fmt, ap);
    va_end(ap);
    return -1;
}
