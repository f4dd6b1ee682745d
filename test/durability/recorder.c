/*
 * Stands between a process and its disk (LD_PRELOAD, Linux). It writes down what the process does to the files below
 * one folder, so that power cuts can be played back, and it kills the process or fails a call at a chosen one.
 *
 *   SLUICE_DISK_ROOT   the folder, absolute, without symbolic links
 *   SLUICE_DISK_LOG    file for the record; nothing is recorded without it
 *   SLUICE_DISK_RULES  operations|path|thread|skip|action, several with ';' in between
 *       operations  letters: c create, w write, t truncate, s sync, r rename, u unlink, m mkdir, g read
 *       path        a part of the path below the folder; with '$' at its end, how the path ends
 *       thread      how the name of the thread begins, '' for any
 *       skip        matches that are let through
 *       action      KILL, ENOSPC, EDQUOT, EFBIG, EIO: at every match after those; KILL says {"killed": path} first
 *
 * Rules sleep until the process opens a file named .disk-arm, and again after one named .disk-disarm. Then the line
 * {"calls": n} on its standard output says how many calls have met the first rule meanwhile. What it writes to its
 * standard output goes into the record as marks.
 */
#define _GNU_SOURCE
#include "recorder-state.h"

static void listen_for_arming(const char *path) {
  const char *name = strrchr(path, '/');
  if (!name) return;
  if (!strcmp(name, "/.disk-arm")) {
    for (int i = 0; i < rule_count; i++) rules[i].seen = 0;
    armed = 1;
  }
  if (!strcmp(name, "/.disk-disarm")) {
    if (armed && rule_count) dprintf(STDOUT_FILENO, "{\"calls\": %ld}\n", rules[0].seen);
    armed = 0;
  }
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  if (path) listen_for_arming(path);
  const char *name = below(path);
  if (!name) return (int)syscall(SYS_openat, folder, path, flags, mode);
  LOCK;
  struct stat before;
  int existed = !lstat(path, &before);
  if ((flags & O_CREAT) && !existed) REFUSE('c', name, -1);
  int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
  int saved = errno;
  if (fd >= 0 && fd < MAX_FDS) {
    free(files[fd].path);
    files[fd].path = strdup(name);
    files[fd].inode = inode_of(fd);
    if ((flags & O_TMPFILE) == O_TMPFILE) record(UNKNOWN, 0, 0, name, "O_TMPFILE", NULL, 0, 0);
    else if ((flags & O_CREAT) && !existed) record(CREATE, inode_of(fd), 0, name, NULL, NULL, 0, 0);
    else if ((flags & O_TRUNC) && existed) record(TRUNCATE, inode_of(fd), 0, name, NULL, NULL, 0, 0);
  }
  UNLOCK;
  errno = saved;
  return fd;
}

#define MODE(flags)                                      \
  mode_t mode = 0;                                       \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                 \
    va_list arguments;                                   \
    va_start(arguments, flags);                          \
    mode = va_arg(arguments, mode_t);                    \
    va_end(arguments);                                   \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE(flags)
  return open_at(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags)
  return open_at(folder, path, flags, mode);
}
int __open_2(const char *path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
int __open64_2(const char *path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
int creat(const char *path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char *path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int fd) {
  LOCK;
  if (fd >= 0 && fd < MAX_FDS && files[fd].path) {
    free(files[fd].path);
    files[fd].path = NULL;
  }
  int result = (int)syscall(SYS_close, fd);
  UNLOCK;
  return result;
}

static ssize_t write_at(int fd, const struct iovec *data, int parts, off_t offset, int positioned) {
  const char *path = of_fd(fd);
  if (!path) {
    ssize_t written = positioned ? syscall(SYS_pwritev, fd, data, parts, offset, 0) : syscall(SYS_writev, fd, data, parts);
    if (fd == STDOUT_FILENO && written > 0) {
      LOCK;
      record(MARK, 0, 0, NULL, NULL, data, parts, (size_t)written);
      UNLOCK;
    }
    return written;
  }
  LOCK;
  REFUSE('w', path, -1);
  if (!positioned) {
    struct stat stat;
    int appends = fcntl(fd, F_GETFL) & O_APPEND;
    offset = appends && !fstat(fd, &stat) ? stat.st_size : lseek(fd, 0, SEEK_CUR);
  }
  ssize_t written = positioned ? syscall(SYS_pwritev, fd, data, parts, offset, 0) : syscall(SYS_writev, fd, data, parts);
  int saved = errno;
  if (written > 0) record(WRITE, inode_of(fd), (uint64_t)offset, path, NULL, data, parts, (size_t)written);
  UNLOCK;
  errno = saved;
  return written;
}

ssize_t write(int fd, const void *data, size_t bytes) {
  struct iovec one = {(void *)data, bytes};
  return write_at(fd, &one, 1, 0, 0);
}
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
  struct iovec one = {(void *)data, bytes};
  return write_at(fd, &one, 1, offset, 1);
}
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) {
  struct iovec one = {(void *)data, bytes};
  return write_at(fd, &one, 1, offset, 1);
}
ssize_t writev(int fd, const struct iovec *data, int parts) {
  return write_at(fd, data, parts, 0, 0);
}
ssize_t pwritev(int fd, const struct iovec *data, int parts, off_t offset) {
  return write_at(fd, data, parts, offset, 1);
}
ssize_t pwritev64(int fd, const struct iovec *data, int parts, off64_t offset) {
  return write_at(fd, data, parts, offset, 1);
}

static int refuse_read(int fd) {
  const char *path = of_fd(fd);
  if (!path || !armed) return 0;
  LOCK;
  int error = judge('g', path);
  UNLOCK;
  errno = error ? error : errno;
  return error;
}

ssize_t read(int fd, void *data, size_t bytes) {
  return refuse_read(fd) ? -1 : syscall(SYS_read, fd, data, bytes);
}
ssize_t pread(int fd, void *data, size_t bytes, off_t offset) {
  return refuse_read(fd) ? -1 : syscall(SYS_pread64, fd, data, bytes, offset);
}
ssize_t pread64(int fd, void *data, size_t bytes, off64_t offset) {
  return refuse_read(fd) ? -1 : syscall(SYS_pread64, fd, data, bytes, offset);
}

static int resize(int fd, off_t bytes, int (*change)(int, off_t)) {
  const char *path = of_fd(fd);
  if (!path) return change(fd, bytes);
  LOCK;
  REFUSE('t', path, -1);
  int result = change(fd, bytes);
  int saved = errno;
  struct stat stat;
  if (!result && !fstat(fd, &stat)) record(TRUNCATE, stat.st_ino, (uint64_t)stat.st_size, path, NULL, NULL, 0, 0);
  UNLOCK;
  errno = saved;
  return result;
}
static int real_truncate(int fd, off_t bytes) {
  return (int)syscall(SYS_ftruncate, fd, bytes);
}
static int real_allocate(int fd, off_t bytes) {
  return (int)syscall(SYS_fallocate, fd, 0, 0, bytes);
}
int ftruncate(int fd, off_t bytes) {
  return resize(fd, bytes, real_truncate);
}
int ftruncate64(int fd, off64_t bytes) {
  return resize(fd, bytes, real_truncate);
}
int posix_fallocate(int fd, off_t offset, off_t bytes) {
  return resize(fd, offset + bytes, real_allocate) ? errno : 0;
}
int posix_fallocate64(int fd, off64_t offset, off64_t bytes) {
  return resize(fd, offset + bytes, real_allocate) ? errno : 0;
}
int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  const char *path = of_fd(fd);
  if (path && mode) record(UNKNOWN, 0, 0, path, "fallocate", NULL, 0, 0);
  return path && !mode ? resize(fd, offset + bytes, real_allocate) : (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
}
int fallocate64(int fd, int mode, off64_t offset, off64_t bytes) {
  return fallocate(fd, mode, offset, bytes);
}

static int sync_fd(int fd, long call) {
  const char *path = of_fd(fd);
  struct stat stat;
  if (!path && root_length && !fstat(fd, &stat) && S_ISDIR(stat.st_mode)) {
    /* The folder itself has nothing below it in its name. */
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length > 0 && (size_t)length == root_length - 1 && !strncmp(target, root, (size_t)length)) path = "";
  }
  if (!path) return (int)syscall(call, fd);
  LOCK;
  REFUSE('s', path, -1);
  int result = (int)syscall(call, fd);
  int saved = errno;
  if (!result && !fstat(fd, &stat)) {
    record(S_ISDIR(stat.st_mode) ? SYNC_FOLDER : SYNC_FILE, stat.st_ino, 0, path, NULL, NULL, 0, 0);
  }
  UNLOCK;
  errno = saved;
  return result;
}
int fsync(int fd) {
  return sync_fd(fd, SYS_fsync);
}
int fdatasync(int fd) {
  return sync_fd(fd, SYS_fdatasync);
}

static int rename_at(int from, const char *path, int to, const char *other, unsigned flags) {
  const char *name = below(path), *target = below(other);
  if (!name && !target) return (int)syscall(SYS_renameat2, from, path, to, other, flags);
  LOCK;
  REFUSE('r', target ? target : name, -1);
  int result = (int)syscall(SYS_renameat2, from, path, to, other, flags);
  int saved = errno;
  if (!result) {
    if (name && target) record(RENAME, 0, 0, name, target, NULL, 0, 0);
    else record(UNKNOWN, 0, 0, name ? name : target, "rename across the border", NULL, 0, 0);
  }
  UNLOCK;
  errno = saved;
  return result;
}
int rename(const char *path, const char *other) {
  return rename_at(AT_FDCWD, path, AT_FDCWD, other, 0);
}
int renameat(int from, const char *path, int to, const char *other) {
  return rename_at(from, path, to, other, 0);
}
int renameat2(int from, const char *path, int to, const char *other, unsigned flags) {
  return rename_at(from, path, to, other, flags);
}

/* The name that a call below a folder's descriptor means. */
static const char *below_at(int folder, const char *path, char *buffer) {
  if (folder == AT_FDCWD || path[0] == '/') return below(path);
  const char *parent = of_fd(folder);
  if (!parent) return NULL;
  return snprintf(buffer, PATH_MAX, "%s/%s", parent, path) < PATH_MAX ? buffer : NULL;
}

static int remove_at(int folder, const char *path, int flags) {
  char buffer[PATH_MAX];
  const char *name = below_at(folder, path, buffer);
  if (!name) return (int)syscall(SYS_unlinkat, folder, path, flags);
  LOCK;
  REFUSE('u', name, -1);
  int result = (int)syscall(SYS_unlinkat, folder, path, flags);
  int saved = errno;
  if (!result) record(flags & AT_REMOVEDIR ? RMDIR : UNLINK, 0, 0, name, NULL, NULL, 0, 0);
  UNLOCK;
  errno = saved;
  return result;
}
int unlink(const char *path) {
  return remove_at(AT_FDCWD, path, 0);
}
int unlinkat(int folder, const char *path, int flags) {
  return remove_at(folder, path, flags);
}
int rmdir(const char *path) {
  return remove_at(AT_FDCWD, path, AT_REMOVEDIR);
}

static int make_at(int folder, const char *path, mode_t mode) {
  char buffer[PATH_MAX];
  const char *name = below_at(folder, path, buffer);
  if (!name) return (int)syscall(SYS_mkdirat, folder, path, mode);
  LOCK;
  REFUSE('m', name, -1);
  int result = (int)syscall(SYS_mkdirat, folder, path, mode);
  int saved = errno;
  if (!result) record(MKDIR, 0, 0, name, NULL, NULL, 0, 0);
  UNLOCK;
  errno = saved;
  return result;
}
int mkdir(const char *path, mode_t mode) {
  return make_at(AT_FDCWD, path, mode);
}
int mkdirat(int folder, const char *path, mode_t mode) {
  return make_at(folder, path, mode);
}

/* What this recorder cannot play back is recorded as such, so that a test says so instead of passing. */
static void unknown(const char *path, const char *what) {
  if (!path) return;
  LOCK;
  record(UNKNOWN, 0, 0, path, what, NULL, 0, 0);
  UNLOCK;
}
int link(const char *path, const char *other) {
  unknown(below(other), "link");
  return (int)syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, other, 0);
}
int linkat(int from, const char *path, int to, const char *other, int flags) {
  unknown(below(other), "linkat");
  return (int)syscall(SYS_linkat, from, path, to, other, flags);
}
int symlink(const char *path, const char *other) {
  unknown(below(other), "symlink");
  return (int)syscall(SYS_symlinkat, path, AT_FDCWD, other);
}
/* A copy that the system makes is a write, for the rules. */
static int refuse_copy(int to, const char *what) {
  const char *path = of_fd(to);
  if (!path) return 0;
  LOCK;
  REFUSE('w', path, 1);
  unknown(path, what);
  UNLOCK;
  return 0;
}
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *target, size_t bytes, unsigned flags) {
  if (refuse_copy(to, "copy_file_range")) return -1;
  return syscall(SYS_copy_file_range, from, at, to, target, bytes, flags);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t bytes) {
  if (refuse_copy(to, "sendfile")) return -1;
  return syscall(SYS_sendfile, to, from, offset, bytes);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t bytes) {
  if (refuse_copy(to, "sendfile")) return -1;
  return syscall(SYS_sendfile, to, from, offset, bytes);
}
static void *map(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  const char *path = of_fd(fd);
  size_t length = path ? strlen(path) : 0;
  /* SQLite makes -shm anew after a power cut. */
  int shared_memory = length > 4 && !strcmp(path + length - 4, "-shm");
  if (path && !shared_memory && (protection & PROT_WRITE) && (flags & MAP_SHARED)) unknown(path, "mmap");
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}
void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  return map(address, bytes, protection, flags, fd, offset);
}
void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  return map(address, bytes, protection, flags, fd, offset);
}
