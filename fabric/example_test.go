package fabric_test

import (
	"fmt"
	"log"
	"sync/atomic"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// printer is an endpoint that prints what arrives.
type printer struct{ block *fabric.Block }

func (p *printer) Wake(int32, int64)            {}
func (p *printer) Fetched(int32, uint32, int64) {}

func (p *printer) Delivered(host int32, id fabric.MsgID, at int64) {
	m := p.block.Message(id)
	fmt.Printf("%d B from NIC %d are at host %d after %d ns\n", m.Size, m.Src, host, at/1000)
	p.block.Release(id)
}

// A message of 1000 bytes crosses a ring of four routers.
func ExampleNew() {
	t, err := topology.NewTorus([]int{4}, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	dor, err := routing.NewDOR(t, 2, routing.TieSplit)
	if err != nil {
		log.Fatal(err)
	}
	link := fabric.Link{Bandwidth: 1e9, Latency: 100_000}
	network, err := fabric.New(fabric.Spec{
		Graph:   t.Graph(),
		Routing: dor,
		Links:   []fabric.Link{link, link},
		Router:  fabric.Router{Latency: 50_000, Bandwidth: 1e9, VCs: 2, Buffer: 4096},
		Packet:  fabric.Packet{MTU: 1000, Flit: 1},
		DMA:     1e12,
	}, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer network.Close()
	block := network.Blocks()[0]
	block.SetEndpoint(&printer{block})
	id, m := block.NewMessage()
	m.Src, m.Dst, m.Size = 0, 1, 1000
	block.Post(id)
	if _, err := engine.Run([]engine.Block{block}, 1, new(atomic.Bool)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(network.Totals().Hops, "hops between routers")
	// Output:
	// 1000 B from NIC 0 are at host 1 after 1402 ns
	// 1 hops between routers
}
