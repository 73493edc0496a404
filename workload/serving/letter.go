package serving

import (
	"fabricast/mpi"
	"fabricast/node"
)

// letter is a short message to another rank.
type letter struct{ To, Tag int32 }

// letterBytes is the size of a letter.
const letterBytes = 64

// Kinds of letters. Most are about a request and a tensor group, which are in the tag.
const (
	take    = iota // leader to its instance: the request is now in a group
	goOn           // leader to its instance: begin an iteration
	stop           // leader to its instance: there is no more
	ready          // leader for prompts to that for tokens: the first token is there, in a group
	pull           // leader for tokens to ranks of a group for prompts: send keys and values to a group
	expect         // leader for tokens to ranks of a group of its own: they come from a group
	got            // rank to its leader: they are here
	release        // leader for tokens to that for prompts: their memory is free
	kinds
)

// write writes a letter to a rank, or does at once what one to itself says.
func (r *rank) write(ops *node.Ops, to, kind, request, group int) {
	tag := kind + kinds*(request*r.expert+group)
	if to == r.id {
		r.read(ops, tag)
		return
	}
	r.out = append(r.out, letter{int32(to), int32(tag)})
}

// tell writes a letter to all ranks of the leader's instance, itself last.
func (r *rank) tell(ops *node.Ops, kind, request, group int) {
	for to := r.id + 1; to < r.id+r.tensor*r.expert; to++ {
		r.write(ops, to, kind, request, group)
	}
	r.write(ops, r.id, kind, request, group)
}

// read does what a letter says.
func (r *rank) read(ops *node.Ops, tag int) {
	kind, about := tag%kinds, tag/kinds
	request, group := about/r.expert, about%r.expert
	switch kind {
	case take:
		q := sequence{Request: int32(request), Group: int32(group), From: r.goes}
		if r.decodes(r.instance()) {
			q.Done, q.Made = r.requests[request].Prompt, 1
		}
		r.running = append(r.running, q)
	case goOn:
		r.goes++
	case stop:
		r.stopped = true
	case ready:
		r.leader.unready--
		r.leader.waiting = append(r.leader.waiting, held{int32(request), int32(group), 0})
		r.fetch(ops)
	case pull:
		to := r.rankOf(r.speaker(request), group, r.id%r.tensor)
		r.send(ops, cacheList, to, request, r.cacheOf(request))
	case expect:
		from := r.rankOf(r.prompter(request), group, r.id%r.tensor)
		q := r.world(ops, cacheList).Irecv(mpi.Size(int(r.cacheOf(request))), from, request)
		ops.Watch(q, uint32(wordCache+request))
		r.caches++
	case got:
		r.leader.ungot--
		r.landed(ops, request)
	case release:
		r.leader.free(int32(request), blocks(int64(r.requests[request].Prompt)))
		r.leader.unreleased--
	}
}

// cacheOf returns the bytes of the keys and values of a prompt on a GPU.
func (r *rank) cacheOf(request int) int64 {
	return int64(r.requests[request].Prompt) * r.job.cacheBytes()
}

// arrived handles the arrival of the keys and values of a request.
func (r *rank) arrived(ops *node.Ops, request int) {
	leader := r.rankOf(r.instance(), 0, 0)
	if r.id == leader {
		r.landed(ops, request)
		return
	}
	r.write(ops, leader, got, request, 0)
}

// expects reports whether a letter will come. So a rank ends with no receive posted.
func (r *rank) expects() bool {
	switch {
	case !r.leads():
		return !r.stopped
	case r.decodes(r.instance()):
		return r.leader.unready > 0 || r.leader.ungot > 0
	}
	return r.leader.unreleased > 0
}
