package summary

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"fabricast/internal/humanize"
)

// Matrix is a communication matrix: the bytes that each rank sent to each other rank, without
// collectives. If there are too many ranks, a cell holds the sum for a group of consecutive senders
// and a group of consecutive receivers.
type Matrix struct {
	Ranks int
	Width int // number of consecutive senders, and of receivers, in a cell
	cells map[[2]int]int64
}

func newMatrix(ranks, cells int) *Matrix {
	return &Matrix{Ranks: ranks, Width: max(1, (ranks+cells-1)/cells), cells: map[[2]int]int64{}}
}

// Cells returns the number of rows, which is also the number of columns.
func (m *Matrix) Cells() int { return (m.Ranks + m.Width - 1) / m.Width }

// At returns the bytes that the ranks of a row sent to the ranks of a column.
func (m *Matrix) At(row, column int) int64 { return m.cells[[2]int{row, column}] }

func (m *Matrix) add(from, to int, n int64) {
	if to >= 0 {
		m.cells[[2]int{from / m.Width, to / m.Width}] += n
	}
}

func (m *Matrix) merge(o *Matrix) {
	for at, n := range o.cells {
		m.cells[at] += n
	}
}

// Sizes of the figure, in pixels.
const (
	side   = 640
	margin = 64
	legend = 120
)

// SVG writes an image of the matrix, with senders in rows and receivers in columns. Colours are on
// a logarithmic scale of bytes.
func (m *Matrix) SVG(to io.Writer) error {
	w := bufio.NewWriter(to)
	n := m.Cells()
	cell := float64(side) / float64(n)
	least, most := m.extremes()
	fmt.Fprintf(
		w,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n",
		side+margin+legend+16,
		side+2*margin,
	)
	fmt.Fprintf(
		w,
		`<rect width="100%%" height="100%%" fill="white"/><text x="%d" y="24" font-size="16">Bytes sent from rank to rank</text>`+"\n",
		margin,
	)
	for _, at := range slices.SortedFunc(
		maps.Keys(m.cells), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) },
	) {
		bytes := m.cells[at]
		if bytes == 0 {
			continue
		}
		first := [2]int{at[0] * m.Width, at[1] * m.Width}
		fmt.Fprintf(
			w,
			`<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s"><title>%s to %s: %s</title></rect>`+"\n",
			margin+float64(at[1])*cell,
			margin+float64(at[0])*cell,
			cell,
			cell,
			colour(bytes, least, most),
			m.ranks(first[0]),
			m.ranks(first[1]),
			humanize.Size(bytes),
		)
	}
	fmt.Fprintf(
		w,
		`<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="black"/>`+"\n",
		margin,
		margin,
		side,
		side,
	)
	m.axes(w)
	m.legend(w, least, most)
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// ranks describes the ranks of the row or column whose first rank is first.
func (m *Matrix) ranks(first int) string {
	if m.Width == 1 {
		return fmt.Sprintf("rank %d", first)
	}
	return fmt.Sprintf("ranks %d to %d", first, min(first+m.Width, m.Ranks)-1)
}

// axes labels the first and the last rank on both axes.
func (m *Matrix) axes(w io.Writer) {
	fmt.Fprintf(
		w,
		`<text x="%d" y="%d" text-anchor="middle">receiver</text>`+"\n",
		margin+side/2,
		margin+side+34,
	)
	fmt.Fprintf(
		w,
		`<text transform="translate(24 %d) rotate(-90)" text-anchor="middle">sender</text>`+"\n",
		margin+side/2,
	)
	fmt.Fprintf(
		w,
		`<text x="%d" y="%d">0</text><text x="%d" y="%d" text-anchor="end">%d</text>`+"\n",
		margin,
		margin+side+16,
		margin+side,
		margin+side+16,
		m.Ranks-1,
	)
	fmt.Fprintf(
		w,
		`<text x="%d" y="%d" text-anchor="end">0</text><text x="%d" y="%d" text-anchor="end">%d</text>`+"\n",
		margin-6,
		margin+12,
		margin-6,
		margin+side,
		m.Ranks-1,
	)
}

// legend draws the colour scale, from least to most bytes.
func (m *Matrix) legend(w io.Writer, least, most int64) {
	if most == 0 {
		fmt.Fprintf(
			w,
			`<text x="%d" y="%d">no messages outside collectives</text>`+"\n",
			margin+16,
			margin+24,
		)
		return
	}
	const steps = 5
	for i := range steps {
		share := float64(i) / (steps - 1)
		bytes := int64(
			math.Round(
				math.Exp(math.Log(float64(least)) + share*(math.Log(float64(most))-math.Log(float64(least)))),
			),
		)
		y := margin + 24*(steps-1-i)
		fmt.Fprintf(
			w,
			`<rect x="%d" y="%d" width="16" height="16" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n",
			margin+side+16,
			y,
			colour(bytes, least, most),
			margin+side+38,
			y+13,
			humanize.Size(bytes),
		)
		if least == most {
			return
		}
	}
}

// extremes returns the minimum and maximum bytes of all cells that are not 0.
func (m *Matrix) extremes() (least, most int64) {
	for _, n := range m.cells {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
		most = max(most, n)
	}
	return least, most
}

// colour returns the colour of n bytes on a logarithmic scale from light blue (least) to dark blue
// (most).
func colour(n, least, most int64) string {
	share := 1.0
	if most > least {
		log := func(n int64) float64 { return math.Log(float64(n)) }
		share = (log(n) - log(least)) / (log(most) - log(least))
	}
	mix := func(light, dark float64) int { return int(math.Round(light + share*(dark-light))) }
	return fmt.Sprintf("#%02x%02x%02x", mix(198, 8), mix(219, 48), mix(239, 107))
}
