package setup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/config"
	"fabricast/topology"
	"fabricast/traffic"
	"fabricast/workload"
)

// initFlags holds the flags of fabricast init.
type initFlags struct {
	draft
	force bool
	sweep bool // write a sweep of the experiment
	study bool // write a sweep with findings
}

// draft holds the choices for a new experiment.
type draft struct {
	network   string // kind of topology
	hosts     int    // minimum number of hosts
	program   string
	traffic   string // traffic pattern, instead of a program
	links     string // file with the links of a network of kind "file"
	recording string // file with the recorded program
}

// Limits of the size of a new experiment, and defaults.
const (
	leastHosts = 2
	mostHosts  = 1 << 20

	usualNetwork = experiment.KindTorus
	usualHosts   = 64
	usualProgram = "alltoall"
	newFile      = "experiment.yaml"
)

func NewInit() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [FILE.yaml]",
		Short: "Write a commented experiment, sweep or study to start from; ask what is not said",
		Long: `Write an experiment to start from, with comments on what can be changed: a kind of network with at least
so many hosts, and a program or traffic. On a terminal what is not said by flags is asked for. A file that is there
is only overwritten with --force. With --sweep or --study the file is a sweep of that experiment.

Kinds of network:
` + listedKinds(),
		Example: `  fabricast init
  fabricast init dragonfly.yaml --network dragonfly --hosts 1000 --program halo3d
  fabricast init loads.yaml --study --network dragonfly --traffic uniform`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cmdline.WrongArguments(cmd, args, "the name of the file to write, or nothing for "+f.kindOf().file)
			}
			return nil
		},
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.init(cmd, append(args, f.kindOf().file)[0])
		},
	}
	cmd.Flags().StringVar(&f.network, "network", "", "the `kind` of network: "+
		strings.Join(topology.KindNames(), ", ")+" (default "+usualNetwork+")")
	cmdline.CountUpTo(cmd.Flags(), &f.hosts, "hosts", leastHosts, mostHosts,
		fmt.Sprintf("the least number of hosts (default %d)", usualHosts))
	cmd.Flags().StringVar(&f.program, "program", "",
		"the `name` of a program, of those that fabricast "+
			"programs lists (default "+usualProgram+")")
	cmd.Flags().StringVar(&f.traffic, "traffic", "",
		"instead of a program, the `name` of a traffic "+
			"pattern, of those that fabricast patterns lists")
	cmd.Flags().StringVar(&f.links, "links", "", "with --network file, the `file` of the network")
	cmd.Flags().StringVar(&f.recording, "recording", "",
		"with --program recorded, the `file` of the recording")
	cmd.Flags().BoolVar(&f.sweep, "sweep", false, "write a sweep: the experiment at several values of some fields")
	cmd.Flags().BoolVar(&f.study, "study", false, "write a study: a sweep, and findings that are expected of it")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite a file that is there")
	cmdline.Completes(cmd, "network", topology.KindNames()...)
	cmdline.Completes(cmd, "program", workload.Names()...)
	cmdline.Completes(cmd, "traffic", traffic.Names()...)
	return cmd
}

// listedKinds lists the kinds of network with their descriptions.
func listedKinds() string {
	var b strings.Builder
	for _, k := range topology.Kinds() {
		fmt.Fprintf(&b, "  %-16s %s\n", k.Name, k.Summary)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (f *initFlags) init(cmd *cobra.Command, file string) error {
	if file == "" {
		return cmdline.Usage(cmd, errors.New("found an empty name, expected that of the file to write"))
	}
	if f.sweep && f.study {
		return cmdline.Usage(cmd, errors.New("found both --sweep and --study, expected one of them"))
	}
	if _, err := os.Lstat(file); err == nil && !f.force {
		return cmdline.Usage(
			cmd,
			fmt.Errorf(
				"found %s, which is there already, expected a new name, or --force to overwrite it",
				file,
			),
		)
	}
	if term.IsTerminal(int(os.Stdin.Fd())) && console.TerminalOf(cmd.ErrOrStderr()) != nil {
		asked := f.draft
		d, err := ending.UntilInterrupted(cmd.Context(), func() (draft, error) {
			err := asked.ask(cmd.InOrStdin(), cmd.ErrOrStderr())
			if err != nil {
				err = cmdline.Usage(cmd, err)
			}
			return asked, err
		})
		if err != nil {
			return err
		}
		f.draft = d
	}
	f.usual()
	if err := f.fits(); err != nil {
		return cmdline.Usage(cmd, err)
	}
	text, err := f.text(file)
	check := func() (*fabricast.Preview, error) { return previewed(file, text) }
	if f.sweep || f.study {
		text, err = f.sweepText(file)
		check = func() (*fabricast.Preview, error) { return nil, surveyed(cmd.Context(), file, text) }
	}
	if err != nil {
		return err
	}
	if _, err := ending.UntilInterrupted(cmd.Context(), check); err != nil {
		if cmd.Context().Err() != nil {
			return err
		}
		return cmdline.Usage(
			cmd,
			fmt.Errorf("found a network of kind %s and what does not go with it: %w", f.network, err),
		)
	}
	if err := writeNew(file, text, f.force); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s; try: fabricast %s %s\n", file, f.kindOf().next, file)
	return err
}

// writeNew writes the file. If force is false, it fails if the file already exists.
func writeNew(file, text string, force bool) error {
	if force {
		return atomicfile.WriteBytes(file, []byte(text))
	}
	err := atomicfile.WriteNew(file, []byte(text))
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("found %s, which somebody has written meanwhile, expected a new name", file)
	}
	return err
}

// previewed checks an experiment before it is written, as fabricast check does.
func previewed(file, text string) (*fabricast.Preview, error) {
	root, err := config.Parse(&config.Source{Name: file, Text: text})
	if err != nil {
		return nil, err
	}
	e, err := fabricast.NewDocument(root, filepath.Dir(file)).Experiment()
	if err != nil {
		return nil, err
	}
	return e.Preview()
}

func hostsInBounds(n int) error {
	if n < leastHosts || n > mostHosts {
		return fmt.Errorf("a number of hosts from %d to %d", leastHosts, mostHosts)
	}
	return nil
}

// usual sets the choices that were not made to their defaults.
func (d *draft) usual() {
	if d.network == "" {
		d.network = usualNetwork
	}
	if d.hosts == 0 {
		d.hosts = usualHosts
	}
	if d.program == "" && d.traffic == "" {
		d.program = usualProgram
	}
}

// fits returns an error for unknown names and for contradictory flags.
func (d *draft) fits() error {
	for _, name := range []struct {
		flag, found string
		known       []string
	}{
		{"network", d.network, topology.KindNames()},
		{"program", d.program, workload.Names()},
		{"traffic", d.traffic, traffic.Names()},
	} {
		if name.found != "" && !slices.Contains(name.known, name.found) {
			return cmdline.Suggested(
				fmt.Errorf("found --%s %s, expected %s", name.flag, name.found, config.OneOf(name.known)),
				name.found, name.known,
			)
		}
	}
	switch {
	case d.program != "" && d.traffic != "":
		return errors.New("found both --program and --traffic, expected one of them")
	case (d.network == experiment.KindFile) != (d.links != ""):
		return fmt.Errorf(
			"found --network %s with --links %s, expected --network file and --links FILE together",
			d.network, said(d.links),
		)
	case (d.program == recordedProgram) != (d.recording != ""):
		return fmt.Errorf(
			"found --program %s with --recording %s, expected --program %s and --recording FILE together",
			said(d.program), said(d.recording), recordedProgram,
		)
	}
	return nil
}

// recordedProgram is the built-in program that reads a file.
const recordedProgram = "recorded"

func said(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// ask asks the user for the choices that were not made by flags.
func (d *draft) ask(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	question := func(answer *string, what, otherwise string, known []string) error {
		for *answer == "" {
			fmt.Fprintf(out, "%s [%s]: ", what, otherwise)
			if !lines.Scan() {
				return errors.Join(
					errors.New("found the end of the input, expected answers, or flags in their place"),
					lines.Err(),
				)
			}
			text := strings.TrimSpace(lines.Text())
			switch {
			case text == "":
				*answer = otherwise
			case known == nil || slices.Contains(known, text):
				*answer = text
			default:
				fmt.Fprintf(
					out, "%v\n",
					cmdline.Suggested(fmt.Errorf("found %s, expected %s", text, config.OneOf(known)), text, known),
				)
			}
		}
		return nil
	}
	if err := question(&d.network, "kind of network", usualNetwork, topology.KindNames()); err != nil {
		return err
	}
	if d.network == experiment.KindFile {
		if err := question(&d.links, "file of the network", "network.edges", nil); err != nil {
			return err
		}
	}
	for d.hosts == 0 && d.network != experiment.KindFile {
		text := ""
		if err := question(&text, "hosts, at least", strconv.Itoa(usualHosts), nil); err != nil {
			return err
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			n = 0
		}
		if err := hostsInBounds(n); err != nil {
			fmt.Fprintf(out, "found %s, expected %v\n", text, err)
			continue
		}
		d.hosts = n
	}
	if d.program != "" || d.traffic != "" {
		return nil
	}
	name := ""
	if err := question(&name, "program, or traffic "+
		"pattern", usualProgram, append(workload.Names(), traffic.Names()...)); err != nil {
		return err
	}
	// "uniform" is the name of both a program and a traffic pattern
	if slices.Contains(workload.Names(), name) {
		d.program = name
	} else {
		d.traffic = name
	}
	if d.program == recordedProgram {
		return question(&d.recording, "file of the recording", "recording.txt", nil)
	}
	return nil
}

// text returns the experiment as commented YAML.
func (d *draft) text(file string) (string, error) {
	shape, hosts, err := d.topology(file)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Run it with          fabricast run %[1]s
# See every default    fabricast check %[1]s
# Change one value     fabricast run %[1]s --set network.link.latency=50ns
# All fields: docs/formats/experiment.md. Editors complete them by a schema: fabricast schema > experiment.json,
# and a first line here that reads: # yaml-language-server: $schema=experiment.json
network:
  topology: %[2]s%[3]s
  # routing: %[4]s                 # the default here; docs/routing.md lists the others
  link: {bandwidth: 50GB/s, latency: 50ns}        # 400 Gb/s between two routers, one way; 10 m
  # host_link: {bandwidth: 50GB/s, latency: 50ns}   # between a NIC and its router; as link
  router:
    routing: 2ns                   # routing computation
    vc_allocation: 2ns
    switch_allocation: 2ns
    latency: 140ns                 # fixed, beyond those
    # buffer: 20800B               # of a virtual channel; the default holds a credit round trip
    # vcs: 2                       # virtual channels; as many as the routing needs
    # arbiter: fcfs                # or %[5]s
  packet: {mtu: 4160B, header: 64B, flit: 64B}    # 4 KiB of payload
node:
  # nics: 1                        # of a host
  # ranks: 1                       # most ranks of a host
  dma: 60GB/s                      # between memory and a NIC, each way, such as PCIe 5 x16
  overhead: 200ns                  # of software, for each send and each receive
`, filepath.Base(file), shape, hosts, experiment.DefaultRouting(d.network),
		strings.Join(experiment.Words("network.router.arbiter")[1:], ", "))
	if d.traffic != "" {
		d.writeTraffic(&b)
	} else {
		d.writeProgram(&b, file)
	}
	b.WriteString("# seed: 1                          # of everything random\n")
	return b.String(), nil
}

// topology returns the topology as one line of YAML, and a comment with its number of hosts.
func (d *draft) topology(file string) (shape, hosts string, err error) {
	if d.network == experiment.KindFile {
		return "{kind: file, file: " + asYAML(beside(file, d.links)) + "}", "", nil
	}
	t, _ := experiment.Sized(d.network, d.hosts)
	text, err := yaml.MarshalWithOptions(experiment.TopologyForm(t), yaml.Flow(true))
	return strings.TrimSpace(
		string(text),
	), fmt.Sprintf("   # %d hosts; docs/topologies.md", experiment.HostsOf(t)), err
}

// beside returns a path relative to the folder of a file.
func beside(file, path string) string {
	if rel, err := filepath.Rel(filepath.Dir(file), path); err == nil && !filepath.IsAbs(path) {
		return rel
	}
	return path
}

// asYAML quotes a text as a YAML value.
func asYAML(text string) string { return strconv.Quote(text) }

func (d *draft) writeProgram(b *strings.Builder, file string) {
	p := workload.Find(d.program)
	fmt.Fprintf(b, "workload:\n  program: %s   # %s\n", p.Name, p.Summary)
	for _, param := range p.Params {
		switch {
		case param.Name == "file":
			fmt.Fprintf(b, "  file: %s   # %s\n", asYAML(beside(file, d.recording)), param.Summary)
		case param.Default == "":
			fmt.Fprintf(b, "  %s: 4KiB   # %s\n", param.Name, param.Summary)
		default:
			fmt.Fprintf(b, "  # %s: %s   # %s\n", param.Name, param.Default, param.Summary)
		}
	}
	if d.network != experiment.KindFile && d.program != recordedProgram {
		fmt.Fprintf(b, "ranks: %d   # by default as many as fit on all hosts\n", d.hosts)
	}
}

func (d *draft) writeTraffic(b *strings.Builder) {
	k := traffic.Find(d.traffic)
	pattern := k.Name
	if k.Example != "" {
		pattern = "{name: " + k.Name + ", " + k.Example + "}"
	}
	fmt.Fprintf(b, `traffic:
  pattern: %s   # %s
  load: 0.4                        # share of the bandwidth of the host link
  # size: 4KiB                     # payload of a message; that of a full packet
  # arrivals: bernoulli            # or poisson, or {process: bursts, burst: 8, peak: 1}
`, pattern, k.Summary)
}
