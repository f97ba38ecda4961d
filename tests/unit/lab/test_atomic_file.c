// SPDX-License-Identifier: MIT
// Files are written whole or not at all, and nothing is left beside them: on file systems with and without files that
// have no name, and if fsync, linkat or rename fails.
#define _GNU_SOURCE // O_TMPFILE
#include <criterion/criterion.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/common.h"
#include "lab/files/atomic_file.h"

// The errno with which each call of the system fails; 0: it does not fail.
static int without_tmpfile, sync_fails, link_fails, rename_fails;

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    if ((flags & O_TMPFILE) == O_TMPFILE && without_tmpfile) {
        errno = without_tmpfile;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int answer(int fails, long result)
{
    errno = fails ? fails : errno;
    return fails ? -1 : (int)result;
}

int fsync(int file)
{
    return answer(sync_fails, syscall(SYS_fsync, file));
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
    return answer(link_fails, link_fails ? 0 : syscall(SYS_linkat, from, old, to, new, flags));
}

int rename(const char *old, const char *new)
{
    return answer(rename_fails, rename_fails ? 0 : syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0));
}

static char folder[] = "/tmp/evenkeel-files-XXXXXX";
static struct ek_error error;

static void enter_folder(void)
{
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    umask(022);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

static bool write_text(const char *path, const char *text)
{
    error = (struct ek_error){.at = -1};
    return lab_file_write(path, text, strlen(text), &error);
}

static void expect_text(const char *path, const char *text)
{
    char found[100] = "";
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    size_t length = fread(found, 1, sizeof found - 1, file);
    found[length] = '\0';
    cr_expect_str_eq(found, text, "%s", path);
    fclose(file);
}

static void expect_files(size_t wanted)
{
    size_t count = 0;
    DIR *all = opendir(".");
    for (struct dirent *entry; (entry = readdir(all));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(all);
    cr_expect_eq(count, wanted, "%zu files", count);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    cr_assert_eq(lstat(path, &about), 0, "%s", path);
    return about.st_mode;
}

TestSuite(files, .init = enter_folder, .fini = remove_folder, .timeout = 60);

static void write_and_replace(void)
{
    cr_expect(write_text("a", "one"), "%s", error.sentence);
    expect_text("a", "one");
    cr_expect_eq(mode_of("a"), S_IFREG | 0644);
    cr_assert_eq(chmod("a", 0600), 0);
    cr_expect(write_text("a", "two"), "%s", error.sentence);
    expect_text("a", "two");
    cr_expect_eq(mode_of("a"), S_IFREG | 0600);
    expect_files(1);
}

Test(files, is_new_or_replaced)
{
    write_and_replace();
}

Test(files, is_new_or_replaced_where_every_file_has_a_name)
{
    without_tmpfile = EOPNOTSUPP;
    write_and_replace();
}

// The names that a process chooses first may be in use: by a user's file, or by a link to one.
Test(files, no_other_file_is_touched)
{
    char part[2][64];
    for (int i = 0; i < 2; i++) {
        snprintf(part[i], sizeof part[i], ".evenkeel-%ld-%d.part", (long)getpid(), i);
    }
    cr_assert(write_text("victim", "mine"));
    cr_assert_eq(symlink("victim", part[0]), 0);
    cr_assert(write_text(part[1], "mine too"));
    for (int named = 0; named < 2; named++) {
        without_tmpfile = named ? EOPNOTSUPP : 0;
        cr_expect(write_text("a", "one"), "%s", error.sentence);
        expect_text("a", "one");
        expect_text("victim", "mine");
        expect_text(part[1], "mine too");
        cr_expect(S_ISLNK(mode_of(part[0])));
        expect_files(4);
    }
}

Test(files, a_link_stays_and_its_target_is_replaced)
{
    cr_assert_eq(mkdir("far", 0777), 0);
    cr_assert(write_text("far/target", "one"));
    cr_assert_eq(symlink("far/target", "link"), 0);
    cr_expect(write_text("link", "two"), "%s", error.sentence);
    cr_expect(S_ISLNK(mode_of("link")));
    expect_text("far/target", "two");
    cr_assert_eq(symlink("nothing", "dangling"), 0);
    cr_expect_not(write_text("dangling", "three"));
    cr_expect_str_eq(error.sentence, "dangling cannot be written (No such file or directory): choose another place");
    cr_expect_not(write_text("far", "three"));
    cr_expect_str_eq(error.sentence, "far cannot be written (Is a directory): choose another place");
    expect_files(3);
}

Test(files, a_failure_leaves_the_older_file)
{
    int *const failing[] = {&sync_fails, &link_fails, &rename_fails};
    cr_assert(write_text("a", "old"));
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        for (int named = 0; named < 2; named++) {
            if (named && failing[i] == &link_fails) { // no link is made then
                continue;
            }
            without_tmpfile = named ? EOPNOTSUPP : 0;
            *failing[i] = ENOSPC;
            cr_expect_not(write_text("a", "new"), "failure %zu", i);
            cr_expect_str_eq(error.sentence, "a could not be written (No space left on device): nothing of it is left");
            cr_expect_not(write_text("b", "new"), "failure %zu", i);
            *failing[i] = 0;
            expect_text("a", "old");
            expect_files(1);
        }
    }
}

// A long text is written at once, and leaves nothing to be flushed: only the stream knows that a write failed.
Test(files, a_write_that_failed_is_remembered)
{
    enum { LENGTH = 1 << 20 };
    char *text = calloc(LENGTH, 1);
    struct rlimit before, half;
    cr_assert(text && getrlimit(RLIMIT_FSIZE, &before) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    half = (struct rlimit){.rlim_cur = LENGTH / 2, .rlim_max = before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &half), 0);
    error = (struct ek_error){.at = -1};
    cr_expect_not(lab_file_write("a", text, LENGTH, &error));
    cr_expect_str_eq(error.sentence, "a could not be written (File too large): nothing of it is left");
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_files(0);
    free(text);
}

// The folder may be written, but not the file.
Test(files, a_file_that_may_not_be_written_stays)
{
    cr_assert(write_text("a", "old") && chmod("a", 0444) == 0 && chmod(".", 0777) == 0);
    pid_t guest = fork();
    if (guest == 0) {
        bool ready = geteuid() != 0 || setuid(65534) == 0;
        _exit(!ready || write_text("a", "new") || !strstr(error.sentence, "(Permission denied)"));
    }
    int how;
    cr_assert_eq(waitpid(guest, &how, 0), guest);
    cr_expect_eq(how, 0);
    expect_text("a", "old");
}

// Returns a path to a copy of the device, so that an error in the code cannot destroy the device itself.
static const char *copy_of(const char *device, const char *copy)
{
    struct stat about;
    bool made = stat(device, &about) == 0 && mknod(copy, about.st_mode, about.st_rdev) == 0 && chmod(copy, 0666) == 0;
    FILE *file = made ? fopen(copy, "w") : NULL;
    if (file) {
        fclose(file);
    }
    return file ? copy : device; // only root can make devices, and replace them
}

// Some devices have no disk.
Test(files, a_device_is_written_in_place)
{
    const char *null = copy_of("/dev/null", "null"), *full = copy_of("/dev/full", "full");
    char wanted[100];
    sync_fails = EINVAL;
    cr_expect(write_text(null, "one"), "%s", error.sentence);
    cr_expect(lab_file_possible(full, &error));
    cr_expect_not(write_text(full, "one"));
    snprintf(wanted, sizeof wanted, "%s could not be written (No space left on device)", full);
    cr_expect_str_eq(error.sentence, wanted);
    cr_expect(S_ISCHR(mode_of(null)) && S_ISCHR(mode_of(full)));
}

// If a standard stream is a file, what was printed stays in it.
Test(files, a_standard_stream_is_written_by_its_own_descriptor)
{
    cr_assert_eq(symlink("/proc/self/fd/1", "stream1"), 0); // as /dev/stdout is
    cr_assert_eq(symlink("/proc/self/fd/2", "stream2"), 0);
    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
        int before = dup(stream), file = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        cr_assert_eq(dup2(file, stream), stream);
        bool good = write(stream, "printed, ", 9) == 9 &&
                    write_text(stream == STDOUT_FILENO ? "stream1" : "stream2", "written, ") &&
                    write(stream, "printed", 7) == 7;
        dup2(before, stream);
        close(before);
        close(file);
        cr_expect(good, "%s", error.sentence);
        expect_text("out", "printed, written, printed");
    }
}

// The name can be given before the file is complete; then a file that is cut off is still found.
Test(files, a_name_can_come_first)
{
    struct lab_file file;
    cr_assert(lab_file_open(&file, "a", &error), "%s", error.sentence);
    fputs("one", file.file);
    expect_files(0);
    cr_expect(lab_file_name(&file));
    fputs(" two", file.file);
    cr_expect(lab_file_complete(&file));
    lab_file_abandon(&file);
    expect_text("a", "one two");
    cr_expect(lab_file_possible("a", &error) && lab_file_possible("b", &error));
    expect_text("a", "one two");
    expect_files(1);
}
