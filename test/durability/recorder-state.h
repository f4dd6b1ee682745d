/* What recorder.c knows: its rules, which files are open, and how calls are written down and judged. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum event { CREATE = 1, WRITE, TRUNCATE, SYNC_FILE, SYNC_FOLDER, RENAME, UNLINK, MKDIR, RMDIR, MARK, UNKNOWN };

#define MAX_FDS 65536
#define MAX_RULES 16

struct rule {
  char operations[16];
  char path[128];
  char thread[16];
  long skip;
  long seen;
  int error; /* 0 kills */
};

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char root[PATH_MAX];
static size_t root_length;
static int log_fd = -1;
static int armed;
static struct rule rules[MAX_RULES];
static int rule_count;
/* Open files below the folder, by descriptor. Some are closed behind our back: the inode tells. */
static struct {
  char *path;
  ino_t inode;
} files[MAX_FDS];

static int error_named(const char *name) {
  if (!strcmp(name, "ENOSPC")) return ENOSPC;
  if (!strcmp(name, "EDQUOT")) return EDQUOT;
  if (!strcmp(name, "EFBIG")) return EFBIG;
  if (!strcmp(name, "EIO")) return EIO;
  return 0;
}

static void read_rule(char *text) {
  char *field[5];
  for (int i = 0; i < 5; i++) field[i] = strsep(&text, "|");
  if (!field[4] || rule_count == MAX_RULES) abort();
  struct rule *rule = &rules[rule_count++];
  snprintf(rule->operations, sizeof rule->operations, "%s", field[0]);
  snprintf(rule->path, sizeof rule->path, "%s", field[1]);
  snprintf(rule->thread, sizeof rule->thread, "%s", field[2]);
  rule->skip = atol(field[3]);
  rule->error = error_named(field[4]);
}

__attribute__((constructor)) static void start(void) {
  const char *folder = getenv("SLUICE_DISK_ROOT");
  if (!folder) return;
  root_length = (size_t)snprintf(root, sizeof root, "%s/", folder);
  const char *file = getenv("SLUICE_DISK_LOG");
  if (file) log_fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  char *list = getenv("SLUICE_DISK_RULES");
  if (!list) return;
  list = strdup(list);
  for (char *one; (one = strsep(&list, ";"));) if (*one) read_rule(one);
}

/* The part below the folder, or NULL. Sluice, SQLite and tantivy all name their files by absolute paths. */
static const char *below(const char *path) {
  if (!root_length || !path) return NULL;
  return strncmp(path, root, root_length) ? NULL : path + root_length;
}

static const char *of_fd(int fd) {
  struct stat stat;
  if (fd < 0 || fd >= MAX_FDS || !files[fd].path) return NULL;
  return !fstat(fd, &stat) && stat.st_ino == files[fd].inode ? files[fd].path : NULL;
}

static void record(enum event event, uint64_t inode, uint64_t number, const char *path, const char *other,
                   const struct iovec *data, int parts, size_t bytes) {
  if (log_fd < 0) return;
  uint32_t first = path ? (uint32_t)strlen(path) : 0, second = other ? (uint32_t)strlen(other) : 0;
  struct {
    uint32_t event, path, other, bytes;
    uint64_t inode, number;
  } head = {event, first, second, (uint32_t)bytes, inode, number};
  struct iovec fixed[3] = {{&head, sizeof head}, {(void *)path, first}, {(void *)other, second}};
  syscall(SYS_writev, log_fd, fixed, 3);
  for (int i = 0; i < parts && bytes; i++) {
    size_t some = data[i].iov_len < bytes ? data[i].iov_len : bytes;
    if (syscall(SYS_write, log_fd, data[i].iov_base, some) != (long)some) abort();
    bytes -= some;
  }
}

static int fits(const struct rule *rule, char operation, const char *path) {
  if (!strchr(rule->operations, operation)) return 0;
  size_t wanted = strlen(rule->path), length = strlen(path);
  if (wanted && rule->path[wanted - 1] == '$') {
    wanted--;
    if (length < wanted || strncmp(path + length - wanted, rule->path, wanted)) return 0;
  } else if (!strstr(path, rule->path)) {
    return 0;
  }
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  return !strncmp(name, rule->thread, strlen(rule->thread));
}

/* The error that this call is to fail with, or 0. */
static int judge(char operation, const char *path) {
  if (!armed) return 0;
  for (int i = 0; i < rule_count; i++) {
    struct rule *rule = &rules[i];
    if (!fits(rule, operation, path) || rule->seen++ < rule->skip) continue;
    if (!rule->error) {
      dprintf(STDOUT_FILENO, "{\"killed\": \"%s\"}\n", path);
      kill(getpid(), SIGKILL);
      for (;;) pause();
    }
    return rule->error;
  }
  return 0;
}

#define LOCK pthread_mutex_lock(&mutex)
#define UNLOCK pthread_mutex_unlock(&mutex)
#define REFUSE(operation, path, result)      \
  do {                                       \
    int refused = judge(operation, path);    \
    if (refused) {                           \
      UNLOCK;                                \
      errno = refused;                       \
      return result;                         \
    }                                        \
  } while (0)

static uint64_t inode_of(int fd) {
  struct stat stat;
  return fstat(fd, &stat) ? 0 : stat.st_ino;
}
