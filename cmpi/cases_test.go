//go:build cgo && linux && amd64

package cmpi_test

import (
	"fmt"
	"strings"
	"testing"
)

// compileCases builds the programs of several cases as one, in a tenth of the time. Its first argument is the
// number of the case. Functions and variables outside of main need names of their own.
func compileCases(t testing.TB, texts ...string) string {
	t.Helper()
	var all, list strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&all, "#define main case_%d\n%s\n#undef main\n", i, text)
		fmt.Fprintf(&list, "(run)case_%d, ", i)
	}
	fmt.Fprintf(&all, `
int main(int argc, char **argv) {
  typedef int (*run)(int, char **);
  int number = atoi(argv[1]);
  argv[1] = argv[0];
  return ((run[]){%s})[number](argc - 1, argv + 1);
}`, list.String())
	return compileText(t, all.String())
}
