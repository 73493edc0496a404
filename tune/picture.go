package tune

import (
	"fmt"
	"slices"

	"fabricast/internal/humanize"
	"fabricast/plot"
)

// SVG draws the fastest algorithm of each cell, in the colour of its name, and its lead, by which the
// colour is deep.
func (r *Result) SVG() []byte {
	tiles := plot.Tiles{
		Title: fmt.Sprintf("Fastest %s on %s, and its lead", r.Collective, r.File),
		X:     "size", Y: "ranks",
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		column, row := size(c.Bytes), place(c.Shape, c.Ranks)
		if !slices.Contains(tiles.Columns, column) {
			tiles.Columns = append(tiles.Columns, column)
		}
		if !slices.Contains(tiles.Rows, row) {
			tiles.Rows = append(tiles.Rows, row)
		}
		name := string(c.best().Algorithm)
		if !slices.Contains(tiles.Names, name) {
			tiles.Names = append(tiles.Names, name)
		}
		tile := plot.Tile{
			Column: slices.Index(tiles.Columns, column), Row: slices.Index(tiles.Rows, row),
			Name: slices.Index(tiles.Names, name),
		}
		if len(c.Points) > 1 && c.Points[1].Time > 0 {
			lead := ratio(c.Points[1].Time, c.best().Time)
			tile.Text, tile.Depth = humanize.Percent(lead), min(lead/fullLead, 1)
			tile.Hint = fmt.Sprintf("%s before %s", name, c.Points[1].Algorithm)
		} else {
			tile.Depth, tile.Hint = 1, name+" alone"
		}
		tiles.Tiles = append(tiles.Tiles, tile)
	}
	return tiles.SVG()
}

// fullLead is the lead from which on a colour is at its deepest.
const fullLead = 0.5
