// C++ around MPI: objects made before main, exceptions through calls, streams, lambdas as operations, containers and
// threads' variables.
#include <mpi.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

namespace {
int constructed = 0;
struct Counter {
  int n;
  explicit Counter(int start) : n(start) { constructed++; }
  ~Counter() {
    if (n != 1000000) std::cout << "gone with " << n << std::endl;
  }
};
Counter before(5);
std::map<std::string, int> names{{"one", 1}, {"two", 2}};
thread_local std::vector<int> own{1, 2, 3};

Counter &late() {
  static Counter c(40);
  return c;
}

template <typename T> MPI_Datatype type_of();
template <> MPI_Datatype type_of<double>() { return MPI_DOUBLE; }
template <> MPI_Datatype type_of<int>() { return MPI_INT; }

template <typename T> std::vector<T> everyones(const std::vector<T> &mine, MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  std::vector<T> all(mine.size() * size);
  MPI_Allgather(mine.data(), mine.size(), type_of<T>(), all.data(), mine.size(), type_of<T>(), comm);
  return all;
}

class Failure : public std::runtime_error {
 public:
  int code;
  explicit Failure(int c) : std::runtime_error("failure"), code(c) {}
};

void thrower(MPI_Comm *, int *code, ...) {
  int c;
  MPI_Error_class(*code, &c);
  throw Failure(c);
}

struct Session {
  Session(int *argc, char ***argv) { MPI_Init(argc, argv); }
  ~Session() { MPI_Finalize(); }
};
}  // namespace

int main(int argc, char **argv) {
  Session session(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  before.n += rank;
  late().n += rank;
  names["rank"] = rank;
  own.push_back(rank);

  auto all = everyones(std::vector<double>{rank + 0.5, rank * 2.0}, MPI_COMM_WORLD);
  std::ostringstream line;
  line << "rank " << rank << std::fixed << std::setprecision(2);
  for (double x : all) line << ' ' << x;
  std::cout << line.str() << '\n';

  MPI_Op longest;
  MPI_Op_create([](void *in, void *inout, int *n, MPI_Datatype *) {
    auto a = static_cast<int *>(in), b = static_cast<int *>(inout);
    std::transform(a, a + *n, b, b, [](int x, int y) { return std::max(x * x, y * y) == x * x ? x : y; });
  }, 1, &longest);
  int mine = rank - 2, far;
  MPI_Allreduce(&mine, &far, 1, MPI_INT, longest, MPI_COMM_WORLD);
  MPI_Op_free(&longest);
  std::cout << "rank " << rank << " farthest " << far << " names " << names.size() << " own " << std::accumulate(own.begin(), own.end(), 0) << std::endl;

  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(thrower, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  try {
    MPI_Send(&mine, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD);
  } catch (const Failure &f) {
    std::cout << "rank " << rank << " caught " << (f.code == MPI_ERR_RANK) << ' ' << f.what() << std::endl;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);

  std::complex<double> z(rank, 1), product;
  MPI_Allreduce(&z, &product, 1, MPI_CXX_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
  std::cout << "rank " << rank << " product " << product << std::endl;

  try {
    std::vector<int>().at(rank);
  } catch (const std::out_of_range &) {
    std::cout << "rank " << rank << " out of range, " << (typeid(session).name() != nullptr) << std::endl;
  }
  std::unique_ptr<int[]> data(new int[size]());
  std::function<void(int)> to = [&](int i) { MPI_Gather(&rank, 1, MPI_INT, data.get(), 1, MPI_INT, i, MPI_COMM_WORLD); };
  to(size - 1);
  std::cout << "rank " << rank << " gathered " << std::accumulate(data.get(), data.get() + size, 0) << ' ' << constructed << std::endl;
  return 0;
}
