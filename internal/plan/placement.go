package plan

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/experiment"
	"fabricast/internal/random"
	"fabricast/topology"
)

// placer assigns hosts to jobs.
type placer struct {
	e     *experiment.Resolved
	t     topology.Topology
	owner []int32 // by host: the index of the job that owns it, or free
}

const free = -1

func newPlacer(p *Plan) *placer {
	owner := make([]int32, p.Topology.Graph().Hosts)
	for h := range owner {
		owner[h] = free
	}
	return &placer{p.Experiment, p.Topology, owner}
}

// ownerOf returns the name of the job that owns a host; "" if the host is free.
func (p *placer) ownerOf(host int32) string {
	if i := p.owner[host]; i != free {
		return "job " + p.e.Jobs[i].Name
	}
	return ""
}

// place reserves hosts for job i. It returns the host of each rank, or the hosts of its traffic.
func (p *placer) place(i int) ([]int32, error) {
	j := &p.e.Jobs[i]
	per := j.PerNode
	if j.HasTraffic() {
		per = 1
	}
	var ranks []int32
	var err error
	switch {
	case j.Placement.Hosts != "", j.Placement.File != "" && listsNames(p.e, j.Placement.File):
		ranks, err = p.byNames(i, per)
	case j.Placement.File != "":
		ranks, err = p.byRecords(i, per)
	default:
		var hosts []int32
		need := (j.Ranks + per - 1) / per
		if hosts, err = p.choose(i, need); err == nil {
			ranks = make([]int32, j.Ranks)
			for r := range ranks {
				ranks[r] = hosts[r/per]
			}
		}
	}
	if err != nil {
		return nil, err
	}
	for _, h := range ranks {
		p.owner[h] = int32(i)
	}
	return ranks, nil
}

// byRecords reads a file that gives the host of each rank.
func (p *placer) byRecords(i, per int) ([]int32, error) {
	one := p.e.Job(i)
	one.Ranks, one.Node.Ranks = p.e.Jobs[i].Ranks, per // for a traffic job, its hosts instead of ranks
	return readMapping(
		one,
		p.t,
		mappingFile{
			p.e.Jobs[i].Placement.File,
			jobField(i, "placement.file"),
			jobField(i, "per_node"),
			p.ownerOf,
		},
	)
}

// placing distinguishes the random numbers of placements from others of the same seed.
const placing = 0x706c616365

// choose returns `need` free hosts.
func (p *placer) choose(i, need int) ([]int32, error) {
	j := &p.e.Jobs[i]
	seed := random.Scramble(random.Scramble(j.Seed) + placing)
	var hosts []int32
	switch j.Placement.Order {
	case experiment.PlacementContiguous:
		return p.contiguous(i, need)
	case experiment.PlacementNodes:
		hosts = p.free(0)
		shuffle(hosts, seed)
	case experiment.PlacementRouters:
		hosts = p.inGroups(seed, p.routerOf)
	case experiment.PlacementGroups:
		groupOf, err := p.groups(i)
		if err != nil {
			return nil, err
		}
		hosts = p.inGroups(seed, groupOf)
	default:
		hosts = p.free(j.Placement.From)
	}
	if len(hosts) < need {
		found := fmt.Sprintf("%d free hosts", len(hosts))
		if from := j.Placement.From; from > 0 {
			found += fmt.Sprintf(" from host %d on", from)
		}
		return nil, p.e.Refuse(
			jobField(i, "placement"),
			found,
			fmt.Sprintf("%d for job %s", need, j.Name),
			"",
		)
	}
	return hosts[:need], nil
}

// free returns the free hosts with index `from` or higher.
func (p *placer) free(from int) (list []int32) {
	for h := from; h < len(p.owner); h++ {
		if p.owner[h] == free {
			list = append(list, int32(h))
		}
	}
	return list
}

// contiguous returns the first `need` free hosts with consecutive indices.
func (p *placer) contiguous(i, need int) ([]int32, error) {
	j := &p.e.Jobs[i]
	var run []int32
	longest := 0
	for h := j.Placement.From; h < len(p.owner); h++ {
		if p.owner[h] != free {
			run = run[:0]
			continue
		}
		run = append(run, int32(h))
		if longest = max(longest, len(run)); len(run) == need {
			return run, nil
		}
	}
	return nil, p.e.Refuse(
		jobField(i, "placement"), fmt.Sprintf("at most %d free hosts in a row", longest),
		fmt.Sprintf("%d for job %s", need, j.Name), "",
	)
}

// shuffle permutes a list at random; the result depends only on the seed.
func shuffle(list []int32, seed uint64) {
	order := shuffled(len(list), seed)
	drawn := make([]int32, len(list))
	for i, at := range order {
		drawn[i] = list[at]
	}
	copy(list, drawn)
}

// inGroups returns the free hosts group by group. The order of the groups is drawn from the seed;
// the hosts of a group are in ascending order.
func (p *placer) inGroups(seed uint64, groupOf func(host int32) int32) []int32 {
	hosts := p.free(0)
	most := int32(0)
	for _, h := range hosts {
		most = max(most, groupOf(h))
	}
	place := make([]int32, most+1)
	for at, group := range shuffled(int(most)+1, seed) {
		place[group] = int32(at)
	}
	slices.SortStableFunc(
		hosts,
		func(a, b int32) int { return cmp.Compare(place[groupOf(a)], place[groupOf(b)]) },
	)
	return hosts
}

// routerOf returns the router to which a host's NICs are connected.
func (p *placer) routerOf(host int32) int32 {
	g := p.t.Graph()
	return g.Ports[g.NICPort[int(host)*g.NICsPerHost]].Router
}

// groups returns a function from hosts to groups: the groups that the job names, or else those of
// the topology.
func (p *placer) groups(i int) (func(host int32) int32, error) {
	if size := p.e.Jobs[i].Placement.Group; size > 0 {
		return func(host int32) int32 { return host / int32(size) }, nil
	}
	if t, ok := p.t.(topology.Grouped); ok {
		return func(host int32) int32 { return int32(t.Group(int(p.routerOf(host)))) }, nil
	}
	return nil, p.e.Refuse(
		jobField(i, "placement.group"),
		"",
		"the number of hosts of a group",
		"a "+p.t.Kind()+" has no groups of its own; dragonflies have, and the blocks of hierarchies "+
			"are groups",
	)
}
