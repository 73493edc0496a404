/* What the functions that Fortran calls have in common. */
#ifndef FABRICAST_FORTRAN_H
#define FABRICAST_FORTRAN_H

#include <stdlib.h>

#include "host.h"

typedef struct {
  const char *name;
  void *address;
} fc_fortran;

extern const fc_fortran fc_fortran_attributes[]; /* fortran_callback.c */

void *fc_buffer_of(const void *p);
MPI_Status *fc_status_of(MPI_Status *s);
int *fc_weights_of(const int *p);
char *fc_c_string(const char *s, size_t n);
void fc_fortran_string(const char *from, char *to, size_t n);

/* Programs that use the module mpi_f08 may leave out the code. */
static inline void fc_tell(int *ierror, int code) {
  if (ierror) *ierror = code;
}

#endif
