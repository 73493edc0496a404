// Sorts keys that are spread over all ranks: each rank sorts its own, samples of them divide the range of keys into one part for each
// rank, and everything goes to the rank of its part (parallel sorting by regular sampling, Shi and Schaeffer 1992).
//
//   samplesort [KEYS]   keys of each rank, 10000 without
//
// Checked: keys are in order within ranks and from one to the next, and none is lost.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

using Key = std::uint64_t;
using Keys = std::vector<Key>;

int rank, size;

// Numbers that depend on the rank alone (xorshift64*, Vigna 2016).
Keys generate(std::size_t n) {
  Key state = 0x9e3779b97f4a7c15u * (rank + 1);
  Keys keys(n);
  for (Key &key : keys) {
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    key = state * 0x2545f4914f6cdd1du;
  }
  return keys;
}

// The upper ends of all parts but the last, which all ranks agree on.
Keys splitters(const Keys &sorted) {
  Keys mine(size), all(static_cast<std::size_t>(size) * size), ends(size - 1);
  for (int i = 0; i < size; i++) mine[i] = sorted.empty() ? 0 : sorted[i * sorted.size() / size];
  MPI_Allgather(mine.data(), size, MPI_UINT64_T, all.data(), size, MPI_UINT64_T, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  for (int i = 0; i < size - 1; i++) ends[i] = all[(i + 1) * size];
  return ends;
}

std::vector<int> offsets_of(const std::vector<int> &counts) {
  std::vector<int> offsets(counts.size());
  std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  return offsets;
}

// Sends every key to the rank of its part.
Keys exchange(const Keys &sorted) {
  std::vector<int> counts(size), incoming(size);
  auto from = sorted.begin();
  const Keys ends = splitters(sorted);
  for (int i = 0; i < size; i++) {
    auto to = i < size - 1 ? std::lower_bound(from, sorted.end(), ends[i]) : sorted.end();
    counts[i] = static_cast<int>(to - from);
    from = to;
  }
  MPI_Alltoall(counts.data(), 1, MPI_INT, incoming.data(), 1, MPI_INT, MPI_COMM_WORLD);
  Keys mine(std::accumulate(incoming.begin(), incoming.end(), std::size_t{0}));
  MPI_Alltoallv(sorted.data(), counts.data(), offsets_of(counts).data(), MPI_UINT64_T, mine.data(), incoming.data(), offsets_of(incoming).data(), MPI_UINT64_T,
                MPI_COMM_WORLD);
  std::sort(mine.begin(), mine.end());
  return mine;
}

// Number and sum of all keys, which sorting must not change.
struct Inventory {
  Key count, sum;
  bool operator==(const Inventory &other) const { return count == other.count && sum == other.sum; }
};

Inventory take_inventory(const Keys &keys) {
  Inventory mine{keys.size(), std::accumulate(keys.begin(), keys.end(), Key{0})}, all;
  MPI_Allreduce(&mine, &all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

// Whether no key of a lower rank is larger than one here.
bool in_order(const Keys &keys) {
  Key largest = keys.empty() ? 0 : keys.back(), below = 0;
  MPI_Exscan(&largest, &below, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  int mine = std::is_sorted(keys.begin(), keys.end()) && (rank == 0 || keys.empty() || below <= keys.front()), all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all;
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Keys keys = generate(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000);
  const Inventory before = take_inventory(keys);

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  std::sort(keys.begin(), keys.end());
  keys = exchange(keys);
  const double mine = MPI_Wtime() - start;

  double slowest;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  std::uint64_t n = keys.size(), most;
  MPI_Reduce(&n, &most, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  const bool right = in_order(keys) && take_inventory(keys) == before;
  if (rank == 0) {
    std::printf("%llu keys, at most %llu on one rank: %s\n", static_cast<unsigned long long>(before.count), static_cast<unsigned long long>(most), right ? "in order" : "wrong");
    std::printf("time to sort: %.3f us\n", slowest * 1e6);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
