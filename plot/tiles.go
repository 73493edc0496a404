package plot

import (
	"fmt"
	"strings"
)

// Tiles is a picture of a table: the colour of a tile says which of some names it has, its depth how
// clearly.
type Tiles struct {
	Title         string
	X, Y          string // titles of the axes
	Columns, Rows []string
	Names         []string
	Tiles         []Tile

	builder strings.Builder
}

// Tile is a cell of the table.
type Tile struct {
	Column, Row int     // indexes; row 0 is the lowest
	Name        int     // index
	Depth       float64 // 0 to 1
	Text        string  // in the tile
	Hint        string  // shown where the pointer is
}

const (
	tileWidth, tileHeight = 58, 34
	tilesLeft, tilesTop   = 76, 44
	palest                = 0.25 // opacity of depth 0
)

// SVG returns the picture as an SVG document.
func (t *Tiles) SVG() []byte {
	legend := 0
	for _, name := range t.Names {
		legend = max(legend, int(charWidth*float64(len([]rune(name))))+40)
	}
	right := tilesLeft + tileWidth*len(t.Columns)
	bottom := tilesTop + tileHeight*len(t.Rows)
	width := max(right+legend+12, int(charWidth*1.2*float64(len([]rune(t.Title)))))
	height := max(bottom+56, tilesTop+20*len(t.Names)+16)
	t.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `+
		`font-family="Helvetica, Arial, sans-serif" font-size="%d">`, width, height, width, height, fontSize)
	t.printf(`<rect width="100%%" height="100%%" fill="white"/>`)
	t.text(width/2, 24, fmt.Sprintf(`text-anchor="middle" font-size="%d" font-weight="bold"`, fontSize+2), t.Title)
	for i, label := range t.Columns {
		t.text(tilesLeft+tileWidth*i+tileWidth/2, bottom+18, `text-anchor="middle"`, label)
	}
	for i, label := range t.Rows {
		t.text(tilesLeft-8, bottom-tileHeight*i-tileHeight/2+4, `text-anchor="end"`, label)
	}
	t.text((tilesLeft+right)/2, bottom+42, `text-anchor="middle"`, t.X)
	middle := (tilesTop + bottom) / 2
	t.text(18, middle, fmt.Sprintf(`text-anchor="middle" transform="rotate(-90 18 %d)"`, middle), t.Y)
	for _, tile := range t.Tiles {
		t.tile(tile, bottom)
	}
	for i, name := range t.Names {
		y := tilesTop + 20*i
		t.printf(`<rect x="%d" y="%d" width="13" height="13" fill="%s"/>`, right+14, y, colourOf(i))
		t.pattern(right+14, y, 13, 13, i)
		t.text(right+34, y+11, "", name)
	}
	t.printf(`</svg>`)
	return []byte(t.builder.String())
}

// tile draws a tile.
func (t *Tiles) tile(tile Tile, bottom int) {
	x, y := tilesLeft+tileWidth*tile.Column, bottom-tileHeight*(tile.Row+1)
	t.printf(`<g><title>%s</title>`, escape(tile.Hint))
	t.printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="%s" fill-opacity="%.2f" stroke="white"/>`,
		x, y, tileWidth, tileHeight, colourOf(tile.Name), palest+(1-palest)*tile.Depth)
	t.pattern(x, y, tileWidth, tileHeight, tile.Name)
	t.text(x+tileWidth/2, y+tileHeight/2+4, `text-anchor="middle" font-size="11" stroke="white" stroke-width="3" paint-order="stroke"`, tile.Text)
	t.printf(`</g>`)
}

func colourOf(name int) string { return palette[name%len(palette)] }

// pattern marks names beyond the first colours by a line, since they share their colours.
func (t *Tiles) pattern(x, y, width, height, name int) {
	for i := range name / len(palette) {
		at := y + 3 + 4*i
		if at < y+height {
			t.printf(`<path d="M%d %dh%d" stroke="white" stroke-width="1.5"/>`, x+1, at, width-2)
		}
	}
}

func (t *Tiles) printf(format string, args ...any) { fmt.Fprintf(&t.builder, format+"\n", args...) }

func (t *Tiles) text(x, y int, attributes, text string) {
	t.printf(`<text x="%d" y="%d" %s>%s</text>`, x, y, attributes, escape(text))
}
