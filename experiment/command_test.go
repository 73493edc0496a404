package experiment

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSplitCommand(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		if got, err := SplitCommand(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	f("./cg -n 100", "./cg", "-n", "100")
	f(" a\tb\n c ", "a", "b", "c")
	f(`a 'b c'"d e" ''`, "a", "b cd e", "")
	f(`a\ b "c\"d\n" 'e\f' $HOME *`, "a b", `c"d\n`, `e\f`, "$HOME", "*")
	f("")
	for _, wrong := range []string{`"a`, `a 'b`, `a \`} {
		if got, err := SplitCommand(wrong); err == nil {
			t.Errorf("%s: %q", wrong, got)
		}
	}
}

// TestCommandsKeepTheirWords demands that a command whose program is replaced has the same arguments.
func TestCommandsKeepTheirWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOf(rapid.StringMatching(`[a-c '"\\\t$]{0,6}`)).Draw(t, "arguments")
		words := append([]string{"./a"}, args...)
		c := CommandLine("./a")
		for _, a := range args {
			c += " " + CommandLine("./a").withProgram(a)
		}
		if got := c.Words(); !slices.Equal(got, words) {
			t.Fatalf("%q, want %q", got, words)
		}
		words[0] = "/x y/b"
		if got := c.withProgram("/x y/b").Words(); !slices.Equal(got, words) {
			t.Fatalf("%q, want %q", got, words)
		}
	})
}
