package picture

import (
	"fmt"
	"html"
	"slices"

	"fabricast/internal/humanize"
	"fabricast/topology"
)

// entry is one entry of the legend: a symbol and its meaning.
type entry struct {
	// draws the symbol
	sign func(x, y float64) string
	text string
	x    float64 // left edge in pixels
	line int
}

// Widths of a legend's entries in pixels.
const (
	signWidth = 34.0
	entryGap  = 22.0
)

// entries lists what is drawn: links by class, routers, hosts, frames.
func (d *drawing) entries() {
	for _, i := range d.order() {
		color := d.legend.color(i)
		d.add(d.legend.Classes[i], func(x, y float64) string {
			// hosts are drawn as dots next to their routers, without lines
			if slices.Contains(d.hostClasses, uint16(i)) && d.withHosts() {
				return fmt.Sprintf(`<circle cx="%.0f" cy="%.0f" r="3" fill="%s"/>`, x+13, y, hostColor(i))
			}
			return fmt.Sprintf(
				`<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="%s" stroke-width="3"/>`,
				x,
				y,
				x+26,
				y,
				color,
			)
		})
	}
	square := func(fill string) func(x, y float64) string {
		return func(x, y float64) string {
			return fmt.Sprintf(
				`<path d="M%.0f %.0fh11v11h-11Z" fill="%s" stroke="#22303c"/>`,
				x+8,
				y-5.5,
				fill,
			)
		}
	}
	if len(d.members) < d.g.Routers {
		d.add(
			fmt.Sprintf("up to %s of %s", humanize.Count(d.most()), humanize.Plural(d.g.Routers, "router")),
			square("#22303c"),
		)
	} else {
		hosted, bare := false, false
		for _, m := range d.members {
			hosted = hosted || m.hosts > 0
			bare = bare || m.hosts == 0
		}
		if hosted {
			d.add("router with hosts", square("#22303c"))
		}
		if bare {
			d.add("router without hosts", square("#ffffff"))
		}
	}
	if d.s.framed != "" {
		d.add(d.s.framed, func(x, y float64) string {
			return fmt.Sprintf(`<circle cx="%.0f" cy="%.0f" r="7" fill="#f1f4f8" stroke="#b9c5d2"/>`, x+13, y)
		})
	}
	if d.every > 1 {
		d.add(fmt.Sprintf("one line in %d is drawn", d.every), func(float64, float64) string { return "" })
	}
}

func (d *drawing) add(text string, sign func(x, y float64) string) {
	d.list = append(d.list, entry{sign: sign, text: text})
}

// layKey arranges the legend's entries in lines.
func (d *drawing) layKey() {
	x, row := margin, 0
	for i := range d.list {
		long := signWidth + letter*float64(len(d.list[i].text)) + entryGap
		if x > margin && x+long-entryGap > d.width-margin {
			x, row = margin, row+1
		}
		d.list[i].x, d.list[i].line = x, row
		x += long
	}
}

func (d *drawing) keyLines() int {
	if len(d.list) == 0 {
		return 0
	}
	return d.list[len(d.list)-1].line + 1
}

// key draws the legend below the title.
func (d *drawing) key() {
	for _, e := range d.list {
		y := headroom + line*float64(e.line)
		d.printf(
			"%s"+`<text x="%.0f" y="%.0f" font-size="12" fill="#333333">%s</text>`+"\n",
			e.sign(e.x, y),
			e.x+signWidth,
			y+4,
			html.EscapeString(e.text),
		)
	}
}

// order lists the link classes of the legend, with those of host links last.
func (d *drawing) order() []int {
	var links, hosts []int
	for i, text := range d.legend.Classes {
		switch {
		case text == "":
		case slices.Contains(d.hostClasses, uint16(i)):
			hosts = append(hosts, i)
		default:
			links = append(links, i)
		}
	}
	return append(links, hosts...)
}

// hostColor returns the colour of hosts whose links have the given class.
func hostColor(class int) string {
	if class == int(topology.LinkHost) {
		return "#5b6b7b"
	}
	return colors[class%len(colors)]
}

// box is the area of a text, in pixels.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

// labels draws the labels, except those that would overlap each other or routers.
func (d *drawing) labels() {
	var taken []box
	size := d.routerSize()
	for c := range d.members {
		p := d.pixel(d.s.at[c])
		taken = append(taken, box{p.x - size, p.y - size, p.x + size, p.y + size})
	}
	for _, l := range d.s.labels {
		p := d.pixel(l.at)
		long := letter * float64(len(l.text))
		b := box{p.x - long/2, p.y - 15, p.x + long/2, p.y - 2}
		switch {
		case l.side.x < -sideways:
			b = box{p.x - 4 - long, p.y - 7, p.x - 4, p.y + 6}
		case l.side.x > sideways:
			b = box{p.x + 4, p.y - 7, p.x + 4 + long, p.y + 6}
		case l.side.y >= 0:
			b = box{p.x - long/2, p.y + 2, p.x + long/2, p.y + 15}
		}
		if meetsAny(b, taken) {
			continue
		}
		taken = append(taken, b)
		// with a background, because links between its letters would make a text illegible
		d.printf(
			`<path d="M%.1f %.1fh%.1fv%.1fh%.1fZ" fill="#ffffff"/>`,
			b.left-2, b.top, b.right-b.left+4, b.bottom-b.top, b.left-b.right-4,
		)
		d.printf(
			`<text x="%.1f" y="%.1f" font-size="12" text-anchor="middle" fill="#222222">%s</text>`+"\n",
			(b.left+b.right)/2,
			b.bottom-3,
			html.EscapeString(l.text),
		)
	}
}

func meetsAny(b box, list []box) bool {
	for _, c := range list {
		if b.meets(c) {
			return true
		}
	}
	return false
}
