package machines

import "fmt"

// chipTorusSettings returns the settings of a machine whose chips are joined in three rings each,
// without switches. link is the bandwidth of a link in one direction.
func chipTorusSettings(link string) string {
	return fmt.Sprintf(`network:
  link: {bandwidth: %[1]s, latency: 25ns}
  host_link: {bandwidth: %[1]s, latency: 10ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 124ns, buffer: 64KiB}
  packet: {mtu: 4KiB, header: 64B, flit: 32B}
node:
  nics: 6
  nic_choice: port
  overhead: 1us
`, link)
}

// chipTorusSources says where those settings come from, except for the bandwidth.
var chipTorusSources = []Source{
	{
		[]string{"network.host_link", "node.nics", "node.nic_choice"},
		"a host is a chip, with a queue for each of its six links", Derived,
	},
	{
		[]string{
			"network.link.latency", "network.router.routing", "network.router.vc_allocation",
			"network.router.switch_allocation", "network.router.latency", "network.router.buffer",
			"network.packet", "node.overhead",
		}, "not published: taken for those of other machines here", Assumed,
	},
}
