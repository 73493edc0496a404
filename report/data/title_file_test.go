package data

import (
	"testing"

	"fabricast/record"
)

func TestTitleNamesTheFile(t *testing.T) {
	const want = "Graph of cluster.edges: 2 routers, 3 hosts"
	if got := networkTitle(&record.Network{Kind: "file", File: "cluster.edges", Hosts: 3, Routers: 2}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
