// C++: constructors, exceptions across calls of MPI, streams, variables of threads.
#include <mpi.h>

#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Counter {
  int value;
  Counter() : value(7) {}
  ~Counter() { std::cout << "destroyed " << value << std::endl; }
};
static Counter counter;
static std::vector<std::string> names;
thread_local int local = 5;

static void fail(int rank) {
  std::map<int, std::string> m{{rank, "odd " + std::to_string(rank)}};
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank % 2) throw std::runtime_error(m[rank]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  counter.value += rank;
  local += 10 * rank;
  names.push_back("name " + std::to_string(rank));
  try {
    fail(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << names[0] + " is even, " + std::to_string(local) << std::endl;
  } catch (const std::exception &e) {
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << std::string("caught ") + e.what() + ", " + std::to_string(local) + " " + std::to_string(names.size()) << std::endl;
  }
  MPI_Finalize();
  return 0;
}
