//go:build linux && (amd64 || arm64)

/* Which algorithm a collective runs. */
#include <stdio.h>

#include "fabricast.h"
#include "state.h"

int Fabricast_Collective(const char *collective, const char *algorithm) {
  ENTER(Fabricast_Collective);
  char text[128];
  snprintf(text, sizeof text, "%s=%s", collective, algorithm ? algorithm : "");
  fc_call call = {.owner = r, .send = text};
  r->call = &call;
  fc_pause(r, FC_PREFER);
  return MPI_SUCCESS;
}
