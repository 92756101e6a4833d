package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestWithEffects(t *testing.T) {
	const choice = `{"properties":{"action":{"type":"string","enum":["list","delete"]}}}`
	const command = `{"properties":{"command":{"type":"string"}}}`
	const dry = `{"properties":{"dryRun":{"type":"boolean"}}}`
	const output = `{"properties":{"output_path":{"type":"string"}}}`
	const local = `{"properties":{"localPath":{"type":"string"}}}`
	for _, test := range []struct{ name, description, schema, want, evidence string }{
		{"extract_bed", "Extracts a bed", dry, registry.EffectDestructive, "dryRun"},
		{"add_bed", "", dry, registry.EffectWrite, "add"},
		{"block_bed", "", `{"properties":{"confirm":{"type":"boolean"}}}`, registry.EffectDestructive, "confirm"},
		{"get_beds", "", `{"properties":{"confirmed_only":{"type":"boolean"}}}`, registry.EffectRead, "get"},
		{"block_bed", "", `{"properties":{"confirmation":{"type":"boolean"}}}`, registry.EffectDestructive,
			"confirmation"},
		{"get_bed", "", `{"properties":{"confirm":{"type":"string"}}}`, registry.EffectRead, "get"},
		{"download_bed", "", output, registry.EffectWrite, "output_path"},
		{"garden_download", "Downloads a bed", local, registry.EffectWrite, "localPath"},
		{"download_bed", "", `{"properties":{"local_path":{"enum":["a","b"]}}}`, registry.EffectRead, "download"},
		{"upload_bed", "", local, registry.EffectWrite, "upload"},
		{"read_bed", "", local, registry.EffectRead, "read"},
		{"get_download", "", local, registry.EffectRead, "get"},
		{"bed", "Deletes a bed", output, registry.EffectDestructive, "deletes"},
		{"bed", "Water a bed", output, registry.EffectWrite, "output_path"},
		{"validate_bed", "", `{"properties":{"autoFix":{"type":"boolean"}}}`, registry.EffectDestructive, "autoFix"},
		{"extract_bed", "Extract a bed into a new one", "", "", ""},
		{"query", "Execute SQL queries on beds", "", registry.EffectDestructive, "sql"},
		{"query", "Run a read-only SQL query", "", registry.EffectRead, "read"},
		{"search", "Run a search of code", "", registry.EffectRead, "search"},
		{"copier", "Copy a bed", dry, registry.EffectWrite, "copy"},
		{"batch_recommend_rules", "Create or update rules", "", registry.EffectDestructive, "update"},
		{"api_get_bed", "Send a request for a bed", "", registry.EffectRead, "get"},
		{"garden_get_rules", "Get view and edit rules", "", registry.EffectRead, "get"},
		{"bed_filter", "Manage filters of beds", "", registry.EffectDestructive, "manage"},
		{"get_bed", "", "", registry.EffectRead, "get"},
		{"getUpdate", "", "", registry.EffectRead, "get"},
		{"bed-create", "", "", registry.EffectWrite, "create"},
		{"todo_list_create", "", "", registry.EffectWrite, "create"},
		{"garden/deleteBed", "", "", registry.EffectDestructive, "delete"},
		{"HTTPGet", "", "", registry.EffectRead, "get"},
		{"list_beds", "Deletes nothing", "", registry.EffectRead, "list"},
		{"API-post-search", "", "", registry.EffectRead, "search"},
		{"post_message", "", "", registry.EffectWrite, "post"},
		{"feedback_link", "", "", registry.EffectWrite, "link"},
		{"beds", "Returns all beds", "", "", ""},
		{"beds", "Lists all beds", "", registry.EffectRead, "lists"},
		{"beds", "Use this tool to remove a bed.", "", registry.EffectDestructive, "remove"},
		{"beds", "All that you can create", "", "", ""},
		{"generate_bed", "Creates a bed", "", "", ""},
		{"bed", "Manage beds", choice, registry.EffectDestructive, "action"},
		{"get_bed", "", choice, registry.EffectRead, "get"},
		{"manage_bed", "", choice, registry.EffectDestructive, "action"},
		{"shell", "", command, registry.EffectExecute, "command"},
		{"get_help", "", command, registry.EffectRead, "get"},
		{"run_python_code", "", "", registry.EffectExecute, "python"},
		{"run_workflow", "", "", "", ""},
		{"pods_exec", "", "", registry.EffectExecute, "exec"},
		{"start_bed", "Run a command", "", registry.EffectExecute, "command"},
		{"start_process", "", "", registry.EffectExecute, "process"},
		{"cloud_create_access_list", "", "", registry.EffectWrite, "create"},
		{"drop-index", "Removes the index", "", registry.EffectDestructive, "drop"},
		{"get_index", "Removes nothing", "", registry.EffectRead, "get"},
		{"run_process", "Runs a shell command.", "", registry.EffectExecute, "shell"},
		{"call_bed", "Executes `bed` CLI commands", "", registry.EffectExecute, "commands"},
		{"perform", "Runs the watering that was planned with some code", "", "", ""},
		{"bed", "Evaluates the quality of code", "", "", ""},
		{"x", "", `[`, "", ""},
		{"update_bed", "", "", registry.EffectDestructive, "update"},
		{"create_or_update_bed", "", "", registry.EffectDestructive, "update"},
		{"bed_set", "Creates or updates a bed", "", registry.EffectDestructive, "set"},
		{"add_bed", "Creates or updates a bed", "", registry.EffectDestructive, "updates"},
		{"remove_bed_preview", "Preview removing a bed", "", registry.EffectRead, "preview"},
		{"schedule_list", "List schedules", "", registry.EffectRead, "list"},
		{"snapshot_bed", "Create a snapshot of a bed", "", registry.EffectWrite, "create"},
		{"migrate_bed", "Validate or migrate a bed", "", registry.EffectDestructive, "migrate"},
		{"call-id", "Validates and executes an operation", "", "", ""},
		{"bed_report", "Validates beds and uploads them", "", registry.EffectWrite, "uploads"},
		{"bed_finder", "Finds beds and comments", "", registry.EffectRead, "finds"},
		{"type_hierarchy", "Gets the types of beds", "", registry.EffectRead, "gets"},
		{"extract_bed_apply", "Apply a plan", "", registry.EffectDestructive, "apply"},
		{"manage_bed", "", "", registry.EffectDestructive, "manage"},
		{"manage_bed", "", `{"properties":{"action":{"enum":["list","get"]}}}`, registry.EffectRead, "action"},
		{"list_eval_rules", "", "", registry.EffectRead, "list"},
		{"batch_search_beds", "", "", registry.EffectRead, "search"},
		{"garden_open_beds", "", "", "", ""},
		{"run_code_analysis", "", "", registry.EffectRead, "analysis"},
		{"run_bed_analysis", "", `{"properties":{"code":{"type":"string"}}}`, registry.EffectRead, "analysis"},
		{"run_code_in_bed", "", "", registry.EffectExecute, "code"},
		{"run_shell_script", "", "", registry.EffectExecute, "shell"},
		{"bed", "Runs code quality gates", "", "", ""},
		{"beds", "Water beds. Runs a shell command", "", "", ""},
		{"getBedByCode", "", `{"properties":{"bedCode":{"type":"string"}}}`, registry.EffectRead, "get"},
		{"unlock_with_code", "", `{"properties":{"code":{"type":"string"}}}`, "", ""},
		{"codeReview", "Review code", `{"properties":{"code":{"type":"string"}}}`, "", ""},
		{"shell", "", `{"properties":{"command":{"type":"string"}}}`, registry.EffectExecute, "command"},
		{"python_code", "", `{"properties":{"code":{"type":"string"}}}`, registry.EffectExecute, "code"},
		{"get_change_events", "Change events of beds", "", registry.EffectRead, "get"},
		{"export_beds", "", `{"properties":{"file_path":{"type":"string"}}}`, registry.EffectWrite, "file_path"},
		{"execute_sql", "", "", registry.EffectDestructive, "sql"},
		{"execute_sql", "Execute a read-only SQL query", "", registry.EffectRead, "read"},
		{"execute_query", "Execute a SQL statement", "", registry.EffectDestructive, "sql"},
		{"execute_query", "Execute a read-only SQL query", "", registry.EffectRead, "read"},
		{"execute_plan", "Show the plan", "", registry.EffectRead, "show"},
		{"execute_query", "Execute a query", "", "", ""},
		{"execute_query", "Show the plan", "", registry.EffectRead, "show"},
		{"execute_query", "Run a Cypher query", "", registry.EffectDestructive, "cypher"},
		{"bed_query", "Execute a custom query", "", "", ""},
		{"bed_query", "Run any read-only query", "", registry.EffectRead, "read"},
		{"query_beds", "Query beds", `{"properties":{"bed_sql":{"type":"string"}}}`, "", ""},
		{"query_beds", "Query beds, read-only", `{"properties":{"sql":{"type":"string"}}}`, registry.EffectRead,
			"query"},
		{"query_beds", "Query beds", `{"properties":{"query":{"type":"string"}}}`, registry.EffectRead, "query"},
		{"explain_query", "", `{"properties":{"sql":{"type":"string"}}}`, registry.EffectRead, "explain"},
		{"execute_query", "Executes a SQL SELECT query", "", registry.EffectRead, "read"},
		{"execute_query", "Executes SQL, SELECT or UPDATE", "", registry.EffectDestructive, "sql"},
		{"execute_sql", "Select a bed and execute SQL", "", registry.EffectDestructive, "sql"},
		{"download_bed", "", `{"properties":{"url":{},"filename":{"type":"string"}}}`, registry.EffectWrite,
			"filename"},
		{"download_bed", "", `{"properties":{"filename":{"type":"string"}}}`, registry.EffectRead, "download"},
		{"download_bed", "Download a bed. By default, saves it.", "", registry.EffectWrite, "saves"},
		{"export_bed", "Export a bed, written to a folder", "", registry.EffectWrite, "written to"},
		{"screenshot_bed", "Take a picture of a bed and save it to a folder", "", registry.EffectWrite, "save it "},
		{"fetch_beds", "Fetch all beds and store them in the database", "", registry.EffectWrite, "store them in"},
		{"fetch_beds", "Fetch all beds in the store", "", registry.EffectRead, "fetch"},
		{"export_bed", "", `{"properties":{"target_path":{"type":"string"}}}`, registry.EffectWrite, "target_path"},
		{"list_triggers", "triggers with their states", "", registry.EffectRead, "list"},
		{"show_bed", "Show a bed that was written to a folder", "", registry.EffectRead, "show"},
	} {
		list := []registry.Tool{{Name: test.name, Description: test.description, InputSchema: []byte(test.schema)}}
		got := WithEffects(list)[0].Inferred
		if got == nil {
			got = &registry.ToolEffect{}
		}
		if got.Effect != test.want || got.Evidence != test.evidence {
			t.Errorf("%s (%s): got %+v", test.name, test.description, *got)
		}
	}
}

func TestWithEffects_code(t *testing.T) {
	list := []registry.Tool{{Name: "garden-list-beds"}, {Name: "garden-delete-bed"}, {Name: "garden-dig"}, {Name: "garden-get-plan"}}
	effect := func(effect string) *registry.ToolEffect {
		return &registry.ToolEffect{Effect: effect, Basis: registry.BasisSource, Evidence: "a.ts:1"}
	}
	code := []registry.Tool{{Name: "garden-list-beds", Inferred: effect(registry.EffectWrite)},
		{Name: "garden-delete-bed", Inferred: effect(registry.EffectWrite)},
		{Name: "garden-dig", Inferred: effect(registry.EffectExecute)}}
	got := WithEffects(list, nil, code)
	for i, want := range []registry.ToolEffect{{Effect: registry.EffectWrite, Basis: registry.BasisSource, Evidence: "a.ts:1"},
		{Effect: registry.EffectDestructive, Basis: registry.BasisName, Evidence: "delete"},
		{Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "a.ts:1"},
		{Effect: registry.EffectRead, Basis: registry.BasisName, Evidence: "get"}} {
		if got[i].Inferred == nil || *got[i].Inferred != want {
			t.Errorf("%s: got %+v", got[i].Name, got[i].Inferred)
		}
	}
	if list[0].Inferred != nil {
		t.Error("the given list was changed")
	}
}

func TestAlters(t *testing.T) {
	for name, want := range map[string][2]bool{
		"deleteOne": {true, true}, "findByIdAndDelete": {true, true}, "del": {true, true},
		"delete_object": {true, true}, "DeleteBedCommand": {true, true}, "sendMail": {true, false},
		"postMessage": {true, false}, "post": {false, false}, "orderBy": {false, false},
		"NewResultError": {false, false}, "findMany": {false, false}, "address": {false, false},
		"query": {false, false}, "bandAid": {false, false}, "": {false, false},
	} {
		may, surely := Alters(name)
		if d := cmp.Diff(want, [2]bool{may, surely}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestWithEffects_byCode(t *testing.T) {
	for _, test := range []struct{ name, code, want, basis string }{
		{"get_bed", registry.EffectRead, registry.EffectRead, registry.BasisSource},
		{"get_bed", registry.EffectUnknown, registry.EffectUnknown, registry.BasisSource},
		{"get_bed", registry.EffectWrite, registry.EffectWrite, registry.BasisSource},
		{"add_bed", registry.EffectRead, registry.EffectWrite, registry.BasisName},
		{"add_bed", registry.EffectUnknown, registry.EffectWrite, registry.BasisName},
		{"bed", registry.EffectRead, registry.EffectUnknown, ""},
	} {
		code := &registry.ToolEffect{Effect: test.code, Basis: registry.BasisSource, Evidence: "bed.ts:1"}
		list := WithEffects([]registry.Tool{{Name: test.name}}, []registry.Tool{{Name: test.name, Inferred: code}})
		if is := list[0].Effect(); is.Effect != test.want || is.Basis != test.basis {
			t.Errorf("%+v: got %+v", test, is)
		}
	}
}
