/* The program's memory, as far as the host touches it, and what becomes of mistakes. */
#ifndef FABRICAST_MEMORY_H
#define FABRICAST_MEMORY_H

#include "host.h"

/* What memory is for. FC_EXACTLY: all of it will be used, so its pages may be there at once. */
enum { FC_READ = 0, FC_WRITE = 1, FC_EXACTLY = 2 };

int fc_is_ours(const void *p);
void fc_check_memory(fc_rank *r, const void *p, int64_t n, int how);
void fc_check_begin(fc_rank *r, const void *p, int64_t n);
void fc_check_mapped(fc_rank *r, const void *p, int64_t n);
int64_t fc_bytes(fc_rank *r, int64_t size, int64_t count);
void *fc_room(fc_rank *r, int64_t n);
void *fc_huge(void *p, size_t n);

/* fc_guarded does what is not done on a rank's stack. It returns the address at which memory was missing, 0 if none was. */
uintptr_t fc_guarded(void (*task)(void *), void *argument);

#endif
