package fabric

import (
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/routing"
	"fabricast/topology"
)

type once struct {
	b    *Block
	send func(b *Block, host int32)
	got  *[]int64
}

func (o *once) Wake(host int32, now int64)            { o.send(o.b, host) }
func (o *once) Fetched(int32, uint32, int64)          {}
func (o *once) Delivered(h int32, id MsgID, at int64) { *o.got = append(*o.got, at); o.b.Release(id) }

func TestSmoke(t *testing.T) {
	top, _ := topology.NewTorus([]int{4, 4, 4}, nil, 1)
	dor, _ := routing.NewDOR(top, 2, routing.TieSplit)
	ns := int64(1000)
	spec := Spec{Graph: top.Graph(), Routing: dor, Links: []Link{{8e9, 100 * ns}, {8e9, 100 * ns}},
		Router: Router{2 * ns, 2 * ns, 2 * ns, 0, 140 * ns, 8e9, 2, 8192, FCFS}, Packet: Packet{256, 0, 16}, DMA: 10e9}
	n, err := New(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	b := n.Blocks()[0]
	b.SetEndpoint(&once{b, func(b *Block, host int32) {
		id, m := b.NewMessage()
		m.Src, m.Dst, m.Size = host, 2, 256
		b.Post(id)
	}, &got})
	b.SetTimer(0, 0)
	if _, err := engine.Run([]engine.Block{b}, 1, new(atomic.Bool)); err != nil {
		t.Fatal(err)
	}
	want := 2*25600 + 4*100*ns + 3*146*ns + 32*ns
	if len(got) != 1 || got[0] != want {
		t.Fatal(got, want)
	}
}
