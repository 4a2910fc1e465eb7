// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a fuzz entry over the files and folders named, without a fuzzer: the
// corpus stays good. Ends with the number of inputs; a finding ends the program.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fsio.h"
#include "base/str.h"

enum { INPUT_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    struct str text = {0};
    struct err e = {0};

    if (fs_read(path, INPUT_MAX, &text, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)str_text(&text), text.len);
    str_free(&text);
    return 0;
}

static int replay_folder(const char *path, DIR *dir, int *count)
{
    struct dirent *entry;
    int failed = 0;

    while ((entry = readdir(dir))) {
        struct str file = {0};

        if (entry->d_name[0] == '.')
            continue;
        str_addf(&file, "%s/%s", path, entry->d_name);
        failed += replay_file(str_text(&file));
        ++*count;
        str_free(&file);
    }
    return failed;
}

int main(int argc, char **argv)
{
    int count = 0, failed = 0;

    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);

        if (dir) {
            failed += replay_folder(argv[i], dir, &count);
            closedir(dir);
        } else {
            failed += replay_file(argv[i]);
            count++;
        }
    }
    printf("%d inputs, %d unreadable\n", count, failed);
    return failed || !count ? 1 : 0;
}
