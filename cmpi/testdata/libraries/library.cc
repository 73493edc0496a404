// A shared library of a program's own, with variables of all kinds, exceptions and calls of MPI.
#include <mpi.h>

#include <iostream>
#include <stdexcept>
#include <string>

#include "library.h"

int exported = 5;
thread_local int local = 7;
static std::string text = "library";
static int constructed = (text += "!", 1);

template <class T> struct Count { static T n; };
template <class T> T Count<T>::n = 0;

static int seen() {
  static int n = 100;
  return ++n;
}

static void refuse(int rank) { throw std::runtime_error("refused " + std::to_string(rank)); }

// total adds over the ranks and says what the library has counted.
extern "C" int total(int rank) {
  int sum;
  exported += rank;
  local += rank;
  Count<int>::n += rank;
  seen();
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  try {
    refuse(rank);
  } catch (const std::exception &e) {
    std::cout << "library " + std::to_string(rank) + ": " + e.what() + " " + text + " " + std::to_string(constructed + Count<int>::n + seen()) << std::endl;
  }
  return sum;
}

void hand_on(int rank) { refuse(rank); }
