package humanize_test

import (
	"testing"

	"fabricast/internal/humanize"
)

func TestPlural(t *testing.T) {
	for want, got := range map[string]string{
		"0 links": humanize.Plural(0, "link"), "1 entry": humanize.Plural(1, "entry"),
		"2 entries": humanize.Plural(2, "entry"), "65,536 routers": humanize.Plural(65536, "router"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
