/* NSIM's programs: MGEN_X stands for every MPI_X. */
#ifndef FABRICAST_MGEN_MPI_H
#define FABRICAST_MGEN_MPI_H

#include "fabricast.h"
#include "fabricast_mgen_names.h"

/* The entry of a program. */
#define MGEN_Main main

/* Computes for a time in seconds, or in another unit: compile with -DMGEN_COMP_UNIT=1e-6. */
#ifndef MGEN_COMP_UNIT
#define MGEN_COMP_UNIT 1.0
#endif
#define MGEN_Comp(t) Fabricast_Compute((t) * MGEN_COMP_UNIT)

/* Told NSIM which calls it could skip; here none need to be. */
#define MGEN_Key(...) ((void)0)

/* How messages are sent. */
typedef Fabricast_Options MGEN_Options;
#define MGEN_EAGER FABRICAST_EAGER
#define MGEN_RENDEZVOUS FABRICAST_RENDEZVOUS
#define MGEN_RENDEZVOUS_READ FABRICAST_RENDEZVOUS_READ
#define MGEN_SYNCHRONOUS FABRICAST_SYNCHRONOUS
#define MGEN_ZERO_COPY FABRICAST_ZERO_COPY
#define MGEN_ONE_COPY FABRICAST_ONE_COPY
#define MGEN_Sends Fabricast_Sends
#define MGEN_Send_with Fabricast_Send_with
#define MGEN_Isend_with Fabricast_Isend_with

#endif
