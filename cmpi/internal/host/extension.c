//go:build linux && (amd64 || arm64)

/* What a program finds under a name beyond MPI. */
#include <string.h>

#define FC_EXTENSION(name) extern void name(void);
#include "extensions.h"
#undef FC_EXTENSION

#define FC_EXTENSION(name) {#name, (void *)name},
static const struct { const char *name; void *address; } extensions[] = {
#include "extensions.h"
};

/* fc_extension_symbol is what a name stands for, null if it is none of those. */
void *fc_extension_symbol(const char *name) {
  for (unsigned i = 0; i < sizeof extensions / sizeof *extensions; i++)
    if (!strcmp(name, extensions[i].name)) return extensions[i].address;
  return 0;
}
