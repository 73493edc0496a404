// Threads of a program's own, which have the variables of the rank that starts them.
#include <mpi.h>

#include <iostream>
#include <string>
#include <thread>

static std::string shared = "shared";
thread_local std::string local = "local";

struct Last {
  int rank = -1;
  ~Last() {
    if (rank >= 0) std::cout << "end of " + std::to_string(rank) + "\n";
  }
};
thread_local Last last;

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string name = std::to_string(rank);
  last.rank = rank;
  local += name;
  std::thread thread([&] {
    local += " of thread";
    shared += name;
    std::cout << "thread " + name + ": " + local + "\n";
  });
  thread.join();
  MPI_Barrier(MPI_COMM_WORLD);
  std::cout << "rank " + name + ": " + shared + ", " + local + "\n";
  MPI_Finalize();
}
