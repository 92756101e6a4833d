package deploy

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// An object has what the tests look at in objects of Kubernetes.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Template       struct{ Spec pod }
		ScaleTargetRef struct{ Name string }   `yaml:"scaleTargetRef"`
		Selector       map[string]any          // of budgets
		PodSelector    map[string]any          `yaml:"podSelector"`
		PolicyTypes    []string                `yaml:"policyTypes"`
		Ingress        []struct{ From []peer } // of policies
		Egress         []struct{ To []peer }   // of policies
		Replicas       *int                    // nil: set by an autoscaler
	}
}

type peer struct {
	PodSelector map[string]any `yaml:"podSelector"`
	IPBlock     struct {
		CIDR   string
		Except []string
	} `yaml:"ipBlock"`
}

type pod struct {
	AutomountServiceAccountToken *bool          `yaml:"automountServiceAccountToken"`
	SecurityContext              map[string]any `yaml:"securityContext"`
	Volumes                      []map[string]any
	Containers                   []struct {
		SecurityContext map[string]any   `yaml:"securityContext"`
		StartupProbe    map[string]any   `yaml:"startupProbe"`
		LivenessProbe   map[string]any   `yaml:"livenessProbe"`
		EnvFrom         []map[string]any `yaml:"envFrom"`
		Env             []struct{ Name string }
		Resources       struct{ Requests, Limits map[string]string }
	}
}

// objects returns the objects of the kustomization, rendered if kubectl is installed.
func objects(t *testing.T) map[string]object {
	t.Helper()
	if _, err := os.ReadDir("kubernetes"); err != nil { // so that the test cache tracks its files
		t.Fatal(err)
	}
	text, err := exec.Command("kubectl", "kustomize", "kubernetes").Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		t.Log("SKIPPED: rendering with kubectl, which is not installed")
		for _, name := range []string{"config", "api", "worker", "network"} {
			text = append(text, "---\n"+read(t, "kubernetes/"+name+".yaml")...)
		}
	case err != nil:
		t.Fatalf("kubectl kustomize: %v", err)
	}
	all := map[string]object{}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o object
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all[o.Kind+" "+o.Metadata.Name] = o
	}
	return all
}

// Pods meet the standard "restricted", have limits and probes, and read secrets from files.
func TestWorkloads(t *testing.T) {
	all := objects(t)
	for _, name := range []string{"census-api", "census-worker"} {
		t.Run(name, func(t *testing.T) {
			o, budget := all["Deployment "+name], all["PodDisruptionBudget "+name]
			p := o.Spec.Template.Spec
			if len(p.Containers) != 1 {
				t.Fatalf("%d containers", len(p.Containers))
			}
			c := p.Containers[0]
			delete(p.SecurityContext, "fsGroup")
			got := []any{p.SecurityContext, c.SecurityContext, p.AutomountServiceAccountToken}
			no := false
			want := []any{
				map[string]any{"runAsNonRoot": true, "runAsUser": uint64(65532), "runAsGroup": uint64(65532),
					"seccompProfile": map[string]any{"type": "RuntimeDefault"}},
				map[string]any{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
					"capabilities": map[string]any{"drop": []any{"ALL"}}},
				&no,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("security (-want +got):\n%s", diff)
			}
			if c.StartupProbe == nil || c.LivenessProbe == nil {
				t.Error("a probe is missing")
			}
			if c.Resources.Limits["memory"] == "" || c.Resources.Requests["cpu"] == "" {
				t.Errorf("resources: %v", c.Resources)
			}
			if budget.Spec.Selector == nil {
				t.Error("no PodDisruptionBudget")
			}
			for _, from := range c.EnvFrom {
				if from["secretRef"] != nil {
					t.Error("secrets are environment variables")
				}
			}
			for _, v := range p.Volumes {
				if v["hostPath"] != nil {
					t.Errorf("volume of the host: %v", v)
				}
			}
		})
	}
	scaled := all["HorizontalPodAutoscaler census-api"].Spec.ScaleTargetRef.Name
	if scaled != "census-api" || all["Deployment census-api"].Spec.Replicas != nil {
		t.Errorf("the autoscaler is of %q, and replicas must not be set beside it", scaled)
	}
	for variable, value := range all["ConfigMap census"].Data {
		secret := strings.TrimSuffix(variable, "_FILE")
		if secret != variable && (value != "/run/secrets/census/"+secret ||
			!strings.Contains(read(t, "kubernetes/secret.example.yaml"), "\n  "+secret+": ")) {
			t.Errorf("%s is %s, which the Secret does not have", variable, value)
		}
	}
}

func TestNetworkPolicies(t *testing.T) {
	all := objects(t)
	o, ok := all["NetworkPolicy census"]
	if !ok || !slices.Equal(o.Spec.PolicyTypes, []string{"Ingress", "Egress"}) ||
		o.Spec.PodSelector["matchExpressions"] != nil {
		t.Fatalf("no policy for both directions of all pods: %+v", o.Spec)
	}
	allowed := func(address string) (found bool) {
		a := netip.MustParseAddr(address)
		for _, rule := range o.Spec.Egress {
			if len(rule.To) == 0 {
				return true
			}
			for _, to := range rule.To {
				if to.IPBlock.CIDR != "" && netip.MustParsePrefix(to.IPBlock.CIDR).Contains(a) &&
					!slices.ContainsFunc(to.IPBlock.Except, func(p string) bool {
						return netip.MustParsePrefix(p).Contains(a)
					}) {
					found = true
				}
			}
		}
		return found
	}
	for address, want := range map[string]bool{
		"140.82.112.3": true, "2606:50c0:8000::154": true, // public
		"10.1.2.3": false, "172.31.0.1": false, "192.168.1.1": false, "100.100.0.1": false,
		"127.0.0.1": false, "169.254.169.254": false, "0.0.0.0": false, "224.0.0.1": false,
		"::1": false, "fd00::1": false, "fe80::1": false, "::ffff:10.0.0.1": false,
		"2002:a00:1::": false, "64:ff9b::a00:1": false,
	} {
		if got := allowed(address); got != want {
			t.Errorf("%s: allowed %t", address, got)
		}
	}
	for name, o := range all {
		for _, rule := range o.Spec.Ingress {
			if len(rule.From) == 0 {
				t.Errorf("%s: everyone may connect", name)
			}
		}
		for _, rule := range o.Spec.Egress {
			for _, to := range rule.To {
				if to.PodSelector != nil { // kustomize adds our label to it
					t.Errorf("%s: a peer is selected by pods", name)
				}
			}
		}
	}
}
