# SPDX-License-Identifier: GPL-2.0-or-later
# make          build everything into build/
# make check    install what is missing, build, run every test
# make demo     the official sweep on a private cluster, with a crash in it
# make help     all targets
CC ?= gcc
SAN ?=
V ?=

ifeq ($(origin CC),default)
CC := gcc
endif
comma := ,
BUILD := build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))$(if $(findstring clang,$(CC)),/clang)
Q := $(if $(V),,@)

VERSION := $(shell sed -n 's/^\#define SWEEPD_VERSION "\(.*\)"/\1/p' daemon/base/version.h)

CPPFLAGS += -D_GNU_SOURCE -Idaemon -I. $(shell pkg-config --cflags libpq 2>/dev/null)
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wvla -Werror
# gcc guesses sizes worse in instrumented code; the plain build keeps the warning.
ifneq ($(SAN),)
ifeq ($(findstring clang,$(CC)),)
WARNINGS += -Wno-format-truncation
endif
endif
ALL_CFLAGS = -std=c11 -fno-omit-frame-pointer -fstack-protector-strong $(WARNINGS) $(CFLAGS) \
             $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
ALL_LDFLAGS = $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN))

# One archive per part; a program links the parts that it is made of, in the
# order of the dependency direction (docs/architecture.md).
PARTS := base core spec preflight ingest store http hook
part_src = $(wildcard daemon/$(1)/*.c)
part_lib = $(BUILD)/lib$(1).a

LIBS_base      := -lnettle
LIBS_core      := -lm
LIBS_spec      := -lyaml -ljansson -lm
LIBS_preflight := -ljansson -lcurl
LIBS_ingest    := -lyajl -ljansson -lm
LIBS_store     := -lpq
LIBS_http      := -lmicrohttpd -ljansson
LIBS_hook      := -lcurl

PROGRAMS := $(addprefix $(BUILD)/,sweepd sweepctl sweep-slurm sweep-ingest)
STANDINS := $(addprefix $(BUILD)/,standin-server standin-replay)

# Libraries that the testbed loads into programs to bend a clock or a folder.
SHIMS := $(patsubst %,build/testbed/%.so,skew spoolfault)

.PHONY: all
all: $(PROGRAMS) $(STANDINS) $(SHIMS)

.SECONDARY:
.DELETE_ON_ERROR:

# --- objects ---------------------------------------------------------------
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC    $@")
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))

define part_rule
$(call part_lib,$(1)): $(call objects,$(filter-out %_main.c,$(call part_src,$(1))))
	@rm -f $$@
	$$(Q)ar rcs $$@ $$^
endef
$(foreach part,$(PARTS),$(eval $(call part_rule,$(part))))

# $(call link,parts that may need each other in this order)
libs = $(foreach part,$(1),$(call part_lib,$(part))) $(sort $(foreach part,$(1),$(LIBS_$(part))))
define link
	$(if $(V),,@echo "  LD    $@")
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(call libs,$(1)) $(2)
endef

# Everything of the daemon but main, so that tests can link it.
$(call part_lib,app): $(call objects,$(filter-out daemon/main.c,$(wildcard daemon/*.c daemon/api/*.c)))
	@rm -f $@
	$(Q)ar rcs $@ $^

SWEEPD_PARTS := app http store hook preflight spec core base
$(BUILD)/sweepd: $(call objects,daemon/main.c) $(foreach p,$(SWEEPD_PARTS),$(call part_lib,$(p)))
	$(call link,$(SWEEPD_PARTS),-ljansson -lpthread)

CTL_PARTS := preflight spec core base
$(BUILD)/sweepctl: $(call objects,$(wildcard cli/*.c)) $(foreach p,$(CTL_PARTS),$(call part_lib,$(p)))
	$(call link,$(CTL_PARTS),-ljansson -lcurl)

$(BUILD)/sweep-slurm: $(call objects,$(wildcard slurm/*.c)) $(call part_lib,base)
	$(call link,base,-lslurm -ljansson)

INGEST_PARTS := ingest core base
$(BUILD)/sweep-ingest: $(call objects,$(wildcard daemon/ingest/*_main.c)) $(foreach p,$(INGEST_PARTS),$(call part_lib,$(p)))
	$(call link,$(INGEST_PARTS))

build/testbed/%.so: tests/testbed/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC    $@")
	$(Q)gcc -std=c11 -D_GNU_SOURCE $(WARNINGS) -O2 -g -fPIC -shared -o $@ $<

# --- tests -----------------------------------------------------------------
# tests/unit/<name>_test.c is one program; it may use every part.
UNIT_TESTS := $(patsubst tests/unit/%_test.c,$(BUILD)/unit/%,$(wildcard tests/unit/*_test.c))
$(BUILD)/unit/%: $(BUILD)/tests/unit/%_test.o $(foreach p,app $(PARTS),$(call part_lib,$(p)))
	@mkdir -p $(@D)
	$(call link,app http store hook preflight ingest spec core base,-lpthread)

$(BUILD)/standin-server: $(call objects,$(wildcard tests/standin/server*.c tests/standin/common*.c)) $(call part_lib,base)
	$(call link,base,-lmicrohttpd -ljansson -lm)
$(BUILD)/standin-replay: $(call objects,$(wildcard tests/standin/replay*.c tests/standin/common*.c)) $(call part_lib,base)
	$(call link,base,-lcurl -ljansson -lm)

# Core in a simulated world.
SIM_SOURCES := $(wildcard tests/sim/*.c)
SIM := $(if $(SIM_SOURCES),$(BUILD)/sim)
$(BUILD)/sim: $(call objects,$(SIM_SOURCES)) $(foreach p,core base,$(call part_lib,$(p)))
	$(call link,core base)

# tests/fuzz/<name>_fuzz.c becomes two programs: fuzz/<name> runs it over files,
# fuzzer/<name> over what libFuzzer makes up.
FUZZ_PARTS := ingest spec core base
FUZZ_LIBS := $(foreach p,$(FUZZ_PARTS),$(call part_lib,$(p)))
FUZZ_NAMES := $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZ_SAN := fuzzer-no-link,address,undefined
FUZZ_REACH := build/fuzz-reach
FUZZ_SECONDS ?= 60
$(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%_fuzz.o $(BUILD)/tests/fuzz/replay.o $(FUZZ_LIBS)
	@mkdir -p $(@D)
	$(call link,$(FUZZ_PARTS))
$(BUILD)/fuzzer/%: $(BUILD)/tests/fuzz/%_fuzz.o $(FUZZ_LIBS)
	@mkdir -p $(@D)
	$(call link,$(FUZZ_PARTS),-fsanitize=fuzzer)

.PHONY: unit-programs
unit-programs: $(UNIT_TESTS) $(SIM) replayers

.PHONY: replayers fuzzers
replayers: $(addprefix $(BUILD)/fuzz/,$(FUZZ_NAMES))
fuzzers: $(addprefix $(BUILD)/fuzzer/,$(FUZZ_NAMES))

.PHONY: deps
deps:
	@tests/testbed/install

# Everything below runs in a second make, after the packages are there.
JOBS := $(shell nproc)
.PHONY: check
check: deps
	@$(MAKE) -j$(JOBS) --no-print-directory all unit-programs
	@$(MAKE) -j$(JOBS) --no-print-directory SAN=address,undefined all unit-programs
	@tests/run check

.PHONY: check-san
check-san: deps
	@$(MAKE) -j$(JOBS) --no-print-directory SAN=address,undefined all unit-programs
	@$(MAKE) -j$(JOBS) --no-print-directory SAN=thread all unit-programs
	@tests/run check-san

.PHONY: demo
demo: deps
	@$(MAKE) -j$(JOBS) --no-print-directory all
	@tests/e2e/demo $(if $(KEEP),--keep)

.PHONY: faults
faults: deps
	@$(MAKE) -j$(JOBS) --no-print-directory all
	@tests/run faults

SEEDS ?= 2000
SEED0 ?= 1
.PHONY: sim
sim: $(SIM)
	@$(if $(SIM),$(SIM) --seeds $(SEEDS) --seed0 $(SEED0),echo "there is no tests/sim/*.c" >&2; exit 1)

.PHONY: fuzz
fuzz:
	@$(MAKE) -j$(JOBS) --no-print-directory CC=clang SAN=$(FUZZ_SAN) fuzzers
	@tests/fuzz/run build/san-$(subst $(comma),-,$(FUZZ_SAN))/clang/fuzzer $(FUZZ_SECONDS)
	@$(MAKE) -j$(JOBS) --no-print-directory CC=gcc SAN= BUILD=$(FUZZ_REACH) CFLAGS='-O0 -g --coverage' replayers
	@tests/fuzz/reach $(FUZZ_REACH)

.PHONY: lint
lint:
	@tests/lint/run

# --- installation ----------------------------------------------------------
# The programs' own defaults are those of PREFIX=/usr; for another one the
# settings and the unit are changed on the way, and only /etc and /run stay.
PREFIX ?= /usr
UNITDIR ?= $(PREFIX)/lib/systemd/system
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
DATADIR = $(DESTDIR)$(PREFIX)/share/sweepd
MANDIR = $(DESTDIR)$(PREFIX)/share/man
WEB_FILES = $(patsubst daemon/web/%,%,$(wildcard $(addprefix daemon/web/,*.* vendor/*.md vendor/*/*)))
RECIPE_PARTS = slurm/recipes/lib.sh slurm/recipes/driver.sh
relocate = sed 's,/usr/\(sbin\|libexec\|share\)/,$(PREFIX)/\1/,g' $(1) > $(2) && chmod 644 $(2)

.PHONY: install
install: $(PROGRAMS)
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,sbin bin libexec/sweepd lib/sysusers.d lib/tmpfiles.d \
		share/bash-completion/completions) $(addprefix $(DATADIR)/,flags matrices recipes sql web \
		$(addprefix web/vendor/,d3 plot preact)) \
		$(addprefix $(MANDIR)/man,1 5 8) $(DESTDIR)/etc/sweepd $(DESTDIR)$(UNITDIR) $(DESTDIR)$(ZSHDIR)
	install $(BUILD)/sweepd etc/sweepd-setup $(DESTDIR)$(PREFIX)/sbin
	install $(BUILD)/sweepctl $(DESTDIR)$(PREFIX)/bin
	install $(BUILD)/sweep-slurm $(BUILD)/sweep-ingest $(DESTDIR)$(PREFIX)/libexec/sweepd
	install -m 644 etc/flags/*.txt $(DATADIR)/flags
	install -m 644 etc/matrices/*.yaml $(DATADIR)/matrices
	install -m 644 $(RECIPE_PARTS) $(DATADIR)/recipes
	install $(filter-out $(RECIPE_PARTS),$(wildcard slurm/recipes/*.sh)) $(DATADIR)/recipes
	install -m 644 sql/*.sql $(DATADIR)/sql
	install slurm/job.sh $(DATADIR)
	cd daemon/web && for file in $(WEB_FILES); do install -m 644 $$file $(DATADIR)/web/$$file || exit; done
	[ -e $(DESTDIR)/etc/sweepd/sweepd.yaml ] || \
		{ $(call relocate,etc/sweepd.yaml,$(DESTDIR)/etc/sweepd/sweepd.yaml); }
	$(call relocate,etc/sweepd.service,$(DESTDIR)$(UNITDIR)/sweepd.service)
	install -m 644 etc/sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/sweepd.conf
	install -m 644 etc/tmpfiles.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/sweepd.conf
	install -m 644 etc/completions/sweepctl.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sweepctl
	install -m 644 etc/completions/_sweepctl $(DESTDIR)$(ZSHDIR)
	install -m 644 docs/*.1 $(MANDIR)/man1
	install -m 644 docs/*.5 $(MANDIR)/man5
	install -m 644 docs/*.8 $(MANDIR)/man8

.PHONY: deb
deb:
	@debian/build

.PHONY: help
help:
	@sed -n 's/^# make /make /p' Makefile
	@echo "make check-san | faults | lint | clean | install DESTDIR= PREFIX=/usr | deb"
	@echo "make fuzz FUZZ_SECONDS=60 | make sim SEEDS=2000 SEED0=1"
	@echo "make SAN=address,undefined | make SAN=thread | make CC=clang"

.PHONY: clean
clean:
	rm -rf build

-include $(shell [ -d $(BUILD) ] && find $(BUILD) -name '*.d')
