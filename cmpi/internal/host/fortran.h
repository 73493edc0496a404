/* What the functions that Fortran calls have in common. */
#ifndef FABRICAST_FORTRAN_H
#define FABRICAST_FORTRAN_H

#include <stdlib.h>

#include "host.h"

typedef struct {
  const char *name;
  void *address;
} fc_fortran;

void *fc_buffer_of(const void *p);
MPI_Status *fc_status_of(MPI_Status *s);
char *fc_c_string(const char *s, size_t n);
void fc_fortran_string(const char *from, char *to, size_t n);

#endif
