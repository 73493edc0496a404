package channels

import "fabricast/collective"

// Way is an algorithm of NCCL.
type Way string

// The ways. Those of switches are in switches.go.
const (
	Best          Way = "" // what NCCL's model of costs finds the fastest
	Ring          Way = "ring"
	Tree          Way = "tree"
	PAT           Way = "pat"
	NVLS          Way = "nvls"
	NVLSTree      Way = "nvls-tree"
	CollNetDirect Way = "collnet-direct"
	CollNetChain  Way = "collnet-chain"
)

// switched reports whether switches take part.
func (w Way) switched() bool {
	return w == NVLS || w == NVLSTree || w == CollNetDirect || w == CollNetChain
}

// has reports whether NCCL has a way by a protocol.
func (w Way) has(p Protocol) bool { return w == Ring || w == Tree || p == Simple }

// ways returns the ways between which the model of costs chooses. What is asked for is the only one, unless
// it needs switches that the ranks do not have, or another protocol than the one that is forced. NCCL has
// PAT by itself where each rank is on a node of its own.
func (s *Setting) ways(c collective.Comm, call Call, asked Way, forced *Protocol) []Way {
	if asked == Best || asked.switched() {
		s.trees = s.switchesOf(c, call)
	}
	can := func(w Way) bool {
		return (!w.switched() || s.can(w, call.Kind)) && (forced == nil || w.has(*forced))
	}
	if asked != Best && can(asked) {
		return []Way{asked}
	}
	list := []Way{Ring}
	switch call.Kind {
	case collective.KindAllreduce:
		list = []Way{Tree, Ring, NVLS, NVLSTree, CollNetDirect, CollNetChain}
	case collective.KindAllgather, collective.KindReduceScatter:
		list = []Way{Ring, NVLS}
		if s.ranks == s.places.Nodes() {
			list = append(list, PAT)
		}
	}
	var possible []Way
	for _, w := range list {
		if can(w) {
			possible = append(possible, w)
		}
	}
	return possible
}
