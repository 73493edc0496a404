/* Arrays of Fortran as the compiler describes them to functions in C, and array sections as buffers. */
#ifndef FABRICAST_SECTION_H
#define FABRICAST_SECTION_H

#include "host.h"

/* CFI_cdesc_t of ISO_Fortran_binding.h, as gfortran has it. */
typedef struct {
  void *base;
  size_t element;
  int version;
  signed char rank, attribute;
  short type;
  struct { ptrdiff_t lower, extent, stride; } dim[]; /* stride: bytes; an extent of -1: nobody knows */
} fc_array;

/* What stands for a buffer, a count and a datatype. */
typedef struct {
  void *base;
  int count;
  MPI_Datatype type;
  int made; /* the type */
} fc_section;

fc_section fc_section_begin(const fc_array *a, int count, MPI_Datatype type);
void fc_section_end(fc_section *s);
void *fc_whole_array(const char *function, const char *argument, const fc_array *a);

/* type.c */
MPI_Datatype fc_type_of_section(fc_rank *r, const fc_array *a, int64_t count, MPI_Datatype type);

#endif
