package browser

import (
	"fmt"
	"strings"
	"testing"
)

// TestCompare opens the report of two runs side by side.
func TestCompare(t *testing.T) {
	dir, r := smallTorus(t, "bruck")
	other, s := smallTorus(t, "ring")
	address, _ := report(t, dir, other)
	ctx := browse(t)
	open(t, ctx, address)
	picture(t, ctx, "compare-light")
	text := evaluate[string](
		t,
		ctx,
		fmt.Sprintf(`document.querySelector('%s').innerText`, id("compare-table")),
	)
	for _, want := range []string{"bruck", "ring", "predicted time"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not say %q: %s", want, text)
		}
	}
	for i, want := range []float64{float64(r.SimulatedTime), float64(s.SimulatedTime)} {
		do(t, ctx, press(fmt.Sprintf(`%s [data-value="%d"]`, id("run"), i)))
		until(
			t,
			ctx,
			fmt.Sprintf(`Number(document.querySelector('%s').dataset.ps) === %.0f`, id("predicted"), want),
		)
	}
}
