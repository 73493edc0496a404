package report

import (
	"fmt"
	"io"

	"fabricast/record"
)

// Progress writes the progress of a running simulation as a table for a terminal of 100 columns.
func Progress(w io.Writer, p *record.Progress) error {
	t := &table{}
	t.add("simulated time", Time(p.Time), fmt.Sprintf("%s ps so far: the run is going on", Count(p.Time)))
	if p.Ranks > 0 {
		t.add("ranks", Count(p.Ranks), fmt.Sprintf("%s have ended", Count(p.RanksEnded)))
	}
	t.add("packets", Count(p.Packets), Count(p.PacketHops)+" packet-hops between routers")
	left := "unknown time left"
	if p.Left >= 0 {
		left = "about " + Seconds(p.Left) + " left"
	}
	t.add("simulating for", Seconds(p.Wall), fmt.Sprintf("%s, %s packet-hops/s", left, Count(int64(p.Rate))))
	_, err := io.WriteString(w, t.String())
	return err
}
