// Typecheck checks packages for syntax and type errors on other systems, without cgo. It reads only
// their sources, which takes a small fraction of the time in which a compiler builds them and the
// standard library for each system.
//
//	bin/typecheck linux/arm64,darwin/arm64,windows/amd64 ./...
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: typecheck SYSTEM/PROCESSOR,... PACKAGE...")
		os.Exit(2)
	}
	failed := false
	for target := range strings.SplitSeq(os.Args[1], ",") {
		n, err := check(target, os.Args[2:])
		if err != nil {
			fmt.Fprintf(os.Stderr, "typecheck: %s: %v\n", target, err)
			failed = true
			continue
		}
		fmt.Printf("%s: %d packages\n", target, n)
	}
	if failed {
		os.Exit(1)
	}
}

// check checks packages for a system and processor, and returns the number of packages. It ignores
// the function bodies of imported packages.
func check(target string, patterns []string) (n int, err error) {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return 0, fmt.Errorf("expected SYSTEM/PROCESSOR")
	}
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
	}
	initial, err := packages.Load(config, patterns...)
	if err != nil {
		return 0, err
	}
	if packages.PrintErrors(initial) > 0 {
		return 0, errors.New("there are errors")
	}
	if len(initial) == 0 {
		return 0, fmt.Errorf("%v: no packages", patterns)
	}
	return len(initial), nil
}
