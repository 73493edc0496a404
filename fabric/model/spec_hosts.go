package model

// HostLink returns the link of a NIC.
func (s *Spec) HostLink(nic int32) Link { return s.Links[s.Graph.Ports[s.Graph.NICPort[nic]].Link] }

// HostLinks returns the different links of NICs, in the order of their classes. Without NICs it
// returns the link of class topology.LinkHost.
func (s *Spec) HostLinks() (links []Link) {
	for _, class := range s.Graph.HostClasses() {
		links = append(links, s.Links[class])
	}
	return links
}

// MeanHostBandwidth returns the mean bandwidth (bytes/s) of the NICs' links.
func (s *Spec) MeanHostBandwidth() float64 {
	if links := s.HostLinks(); len(links) == 1 {
		return float64(links[0].Bandwidth)
	}
	sum := 0.0
	for nic := range s.Graph.NICPort {
		sum += float64(s.HostLink(int32(nic)).Bandwidth)
	}
	return sum / float64(len(s.Graph.NICPort))
}
