/* What programs may tell Fabricast beyond MPI. */
#ifndef FABRICAST_H
#define FABRICAST_H

#ifdef __cplusplus
extern "C" {
#endif

/* Lets simulated time pass on the calling rank, as if it had computed for so many seconds. */
int Fabricast_Compute(double seconds);

#ifdef __cplusplus
}
#endif
#endif
