// A program that catches what a library of its own throws.
#include <mpi.h>

#include <iostream>
#include <stdexcept>
#include <string>

#include "library.h"

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  exported *= 2;
  const int sum = total(rank);
  try {
    hand_on(rank);
  } catch (const std::runtime_error &e) {
    std::cout << "program " + std::to_string(rank) + ": " + std::to_string(sum) + " " + std::to_string(exported) + " " + std::to_string(local) + " " + e.what() << std::endl;
  }
  MPI_Finalize();
}
