//go:build linux && (amd64 || arm64)

/* What a program finds under a name: functions of MPI, and what takes the place of functions of the C library. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <stdlib.h>

#include "host.h"

void *fc_process_symbol(const char *name);
void *fc_clock_symbol(const char *name);
void *fc_fortran_symbol(const char *name);
void *fc_extension_symbol(const char *name);
void *fc_openmp_symbol(const char *name);
void *fc_allocation_symbol(const char *name);

#define FC_IMPLEMENTED(name) {#name, (void *)MPI_##name},
static const struct { const char *name; void *address; } implemented[] = {
#include "implemented.h"
};
#undef FC_IMPLEMENTED

static _Noreturn void missing(const char *name) {
  fc_rank *r = fc_current();
  r->name = name;
  fc_fail(r, "the function is not part of Fabricast (fabricast mpi-coverage tells which of a program's functions are not)");
}

/* A few instructions that call missing with a name. */
static void fill(unsigned char *p, const char *name, const void *target) {
#if defined(__x86_64__)
  /* mov name, %rdi; mov target, %rax; jmp *%rax */
  memcpy(p, "\x48\xbf", 2), memcpy(p + 2, &name, 8);
  memcpy(p + 10, "\x48\xb8", 2), memcpy(p + 12, &target, 8);
  memcpy(p + 20, "\xff\xe0", 2);
#elif defined(__aarch64__)
  /* ldr x0, name; ldr x16, target; br x16; nop */
  static const uint32_t code[] = {0x58000080, 0x580000b0, 0xd61f0200, 0xd503201f};
  memcpy(p, code, 16), memcpy(p + 16, &name, 8), memcpy(p + 24, &target, 8);
#endif
  __builtin___clear_cache((char *)p, (char *)p + 32);
}

static void *thunk(const char *name) {
  static unsigned char *page;
  static size_t used = 4096;
  if (used + 32 > 4096) {
    page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    used = 0;
  }
  unsigned char *p = page + used;
  used += 32;
  fill(p, strdup(name), (void *)missing);
  return p;
}

/* The name as Fortran programs write it, without the underscore. */
static void *thunk_of_fortran(const char *name) {
  char text[64];
  size_t n = 0;
  for (; name[n] && n < sizeof text - 1; n++) text[n] = toupper(name[n]);
  text[n - (n > 0 && text[n - 1] == '_')] = 0;
  return thunk(text);
}

/* fc_symbol is what a name stands for, null if it is left to the C library. */
void *fc_symbol(const char *name) {
  void *own = fc_process_symbol(name);
  if (!own) own = fc_clock_symbol(name);
  if (!own) own = fc_extension_symbol(name);
  if (!own) own = fc_openmp_symbol(name);
  if (!own) own = fc_allocation_symbol(name);
  if (own) return own;
  const char *rest = name;
  if (*rest == 'P' || *rest == 'p') rest++;
  if (!strncmp(rest, "mpi_", 4)) {
    void *fortran = fc_fortran_symbol(rest);
    return fortran ? fortran : thunk_of_fortran(rest);
  }
  if (strncmp(rest, "MPI_", 4)) return 0;
  for (size_t i = 0; i < sizeof implemented / sizeof *implemented; i++)
    if (!strcmp(rest + 4, implemented[i].name)) return implemented[i].address;
  return thunk(rest);
}

/* fc_may_cancel tells whether what a name stands for may take back a send. */
int fc_may_cancel(const char *name) {
  const char *rest = name + (*name == 'P' || *name == 'p');
  return !strncasecmp(rest, "mpi_cancel", 10);
}

/* fc_needs_answers tells whether what a name stands for may need the NIC of another host to answer, as
 * synchronous sends, cancelling a send, and all that reaches into another rank's memory do. */
int fc_needs_answers(const char *name) {
  if (fc_process_symbol(name) || fc_clock_symbol(name) || fc_openmp_symbol(name) || fc_allocation_symbol(name)) return 0;
  const char *rest = name + (*name == 'P' || *name == 'p');
  if (!strncasecmp(rest, "mpi_", 4)) return strcasestr(rest, "ssend") || strcasestr(rest, "_win_") || fc_may_cancel(name);
  if (!strncmp(name, "Fabricast_", 10)) return strcasestr(name, "send") != 0; /* by any protocol */
  return fc_symbol(name) != 0;
}
