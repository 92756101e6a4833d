//lint:file-ignore SA1019 the conformance suite covers deprecated features of the protocol

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixtures returns a server with the tools, resources and prompts that the scenarios of the
// conformance suite call by name.
func fixtures() *mcp.Server {
	f := fixture{mcp.NewServer(&mcp.Implementation{Name: "fixtures", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return completionOf(), nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = 1000, "public"
		},
	})}
	f.addContents()
	f.addSessions()
	f.addInputs()
	f.addResources()
	f.addPrompts()
	return f.Server
}

func completionOf() *mcp.CompleteResult {
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
}

type fixture struct{ *mcp.Server }

type (
	callRequest = *mcp.CallToolRequest
	callResult  = *mcp.CallToolResult
)

// tool adds a tool without declared arguments.
func (f fixture) tool(name string, do func(context.Context, callRequest) (callResult, error)) {
	mcp.AddTool(f.Server, &mcp.Tool{Name: name, Description: "Fixture " + name},
		func(ctx context.Context, req callRequest, _ any) (callResult, any, error) {
			res, err := do(ctx, req)
			return res, nil, err
		})
}

func textResult(format string, args ...any) callResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// A PNG of one pixel and a WAV file without samples.
var (
	onePixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00" +
		":~\x9bU\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82")
	silence = []byte("RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00\x80>\x00\x00" +
		"\x02\x00\x10\x00data\x00\x00\x00\x00")
)

func embedded(uri, kind, text string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: kind, Text: text}}
}

// addContents adds tools that return constants.
func (f fixture) addContents() {
	png := &mcp.ImageContent{Data: onePixel, MIMEType: "image/png"}
	for name, content := range map[string][]mcp.Content{
		"test_simple_text":       {&mcp.TextContent{Text: "This is a simple text response for testing."}},
		"test_image_content":     {png},
		"test_audio_content":     {&mcp.AudioContent{Data: silence, MIMEType: "audio/wav"}},
		"test_embedded_resource": {embedded("test://embedded-resource", "text/plain", "An embedded resource")},
		"test_multiple_content_types": {&mcp.TextContent{Text: "Text"}, png,
			embedded("test://mixed-content-resource", "application/json", `{"test":"data"}`)},
		"test_streaming_elicitation": {&mcp.TextContent{Text: "No requests on the stream"}},
	} {
		f.tool(name, func(context.Context, callRequest) (callResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	f.tool("test_error_handling", func(context.Context, callRequest) (callResult, error) {
		return nil, errors.New("This tool intentionally returns an error for testing")
	})
	f.schemaTool("json_schema_2020_12_tool", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
		"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
		"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`)
	f.schemaTool("test_x_mcp_header", `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`)
}

func (f fixture) schemaTool(name, schema string) {
	f.AddTool(&mcp.Tool{Name: name, Description: "Fixture " + name, InputSchema: json.RawMessage(schema)},
		func(_ context.Context, req callRequest) (callResult, error) {
			return textResult("%s", req.Params.Arguments), nil
		})
}

// addSessions adds tools that send messages to the client.
func (f fixture) addSessions() {
	f.tool("test_tool_with_logging", func(ctx context.Context, req callRequest) (callResult, error) {
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line})
			time.Sleep(20 * time.Millisecond)
		}
		return textResult("Logged"), nil
	})
	f.tool("test_logging_tool", func(ctx context.Context, req callRequest) (callResult, error) {
		return textResult("Logged"), req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "test"})
	})
	f.tool("test_tool_with_progress", func(ctx context.Context, req callRequest) (callResult, error) {
		token := req.Params.GetProgressToken()
		for _, p := range []float64{0, 50, 100} {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token,
				Progress: p, Total: 100, Message: fmt.Sprintf("Completed step %.0f of 100", p)})
			time.Sleep(20 * time.Millisecond)
		}
		return textResult("%v", token), nil
	})
	f.tool("test_reconnection", func(_ context.Context, req callRequest) (callResult, error) {
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		time.Sleep(100 * time.Millisecond)
		return textResult("Reconnected"), nil
	})
	f.tool("test_missing_capability", func(_ context.Context, req callRequest) (callResult, error) {
		if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
			return textResult("The client can sample"), nil
		}
		data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
			RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities,
			Message: "the client cannot sample", Data: data}
	})
	f.tool("test_trigger_tool_change", func(context.Context, callRequest) (callResult, error) {
		f.tool("transient", func(context.Context, callRequest) (callResult, error) { return textResult(""), nil })
		return textResult("Changed"), nil
	})
	f.tool("test_trigger_prompt_change", func(context.Context, callRequest) (callResult, error) {
		f.prompt("transient", nil, nil)
		return textResult("Changed"), nil
	})
	mcp.AddTool(f.Server, &mcp.Tool{Name: "test_sampling", Description: "Fixture"},
		func(ctx context.Context, req callRequest, in struct {
			Prompt string `json:"prompt"`
		}) (callResult, any, error) {
			res, err := req.Session.CreateMessage(ctx, samplingOf(in.Prompt))
			if err != nil {
				return nil, nil, err
			}
			return textResult("LLM response: %s", res.Content.(*mcp.TextContent).Text), nil, nil
		})
	f.elicit("test_elicitation", object(map[string]any{"username": map[string]any{"type": "string", "description": "Name"},
		"email": map[string]any{"type": "string", "description": "Address"}}))
	f.elicit("test_elicitation_sep1034_defaults", object(map[string]any{
		"name":     map[string]any{"type": "string", "default": "John Doe"},
		"age":      map[string]any{"type": "integer", "default": 30},
		"score":    map[string]any{"type": "number", "default": 95.5},
		"status":   map[string]any{"type": "string", "enum": []string{"active", "inactive", "pending"}, "default": "active"},
		"verified": map[string]any{"type": "boolean", "default": true},
	}))
	var titled []any
	for i, title := range []string{"First Option", "Second Option", "Third Option"} {
		titled = append(titled, map[string]any{"const": fmt.Sprint("value", i+1), "title": title})
	}
	options := []string{"option1", "option2", "option3"}
	f.elicit("test_elicitation_sep1330_enums", object(map[string]any{
		"untitledSingle": map[string]any{"type": "string", "enum": options},
		"titledSingle":   map[string]any{"type": "string", "oneOf": titled},
		"legacyEnum": map[string]any{"type": "string", "enum": []string{"opt1", "opt2", "opt3"},
			"enumNames": []string{"Option One", "Option Two", "Option Three"}},
		"untitledMulti": map[string]any{"type": "array", "minItems": 1, "maxItems": 3,
			"items": map[string]any{"type": "string", "enum": options}},
		"titledMulti": map[string]any{"type": "array", "minItems": 1, "maxItems": 3,
			"items": map[string]any{"anyOf": titled}},
	}))
}

func object(properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties}
}

// elicit adds a tool that asks the user during a call.
func (f fixture) elicit(name string, schema map[string]any) {
	f.AddTool(&mcp.Tool{Name: name, Description: "Fixture " + name, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req callRequest) (callResult, error) {
			res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Test", RequestedSchema: schema})
			if err != nil {
				return nil, err
			}
			return textResult("Elicitation completed: action=%s, content=%v", res.Action, res.Content), nil
		})
}

func samplingOf(text string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{
		{Role: "user", Content: &mcp.TextContent{Text: text}},
	}}
}

// asking returns a request for a value that the user enters.
func asking(name, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: "Enter " + name, RequestedSchema: &jsonschema.Schema{Type: "object",
		Properties: map[string]*jsonschema.Schema{name: {Type: kind}}, Required: []string{name}}}
}

// entered returns what the user entered, nil if nothing.
func entered(responses mcp.InputResponseMap, key string) map[string]any {
	if r, ok := responses[key].(*mcp.ElicitResult); ok && r.Action == "accept" {
		return r.Content
	}
	return nil
}

// round returns a result that asks for inputs.
func round(state string, inputs mcp.InputRequestMap) (callResult, error) {
	return &mcp.CallToolResult{InputRequests: inputs, RequestState: state}, nil
}

// addInputs adds tools that ask for inputs with their results.
func (f fixture) addInputs() {
	const prefix = "test_input_required_result_"
	f.tool(prefix+"elicitation", func(_ context.Context, req callRequest) (callResult, error) {
		if name, _ := entered(req.Params.InputResponses, "user_name")["name"].(string); name != "" {
			return textResult("Hello, %s!", name), nil
		}
		return round("", mcp.InputRequestMap{"user_name": asking("name", "string")})
	})
	f.tool(prefix+"sampling", func(_ context.Context, req callRequest) (callResult, error) {
		if req.Params.InputResponses["capital_question"] != nil {
			return textResult("Sampled"), nil
		}
		return round("", mcp.InputRequestMap{"capital_question": samplingOf("What is the capital of France?")})
	})
	f.tool(prefix+"list_roots", func(_ context.Context, req callRequest) (callResult, error) {
		if r, ok := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult); ok {
			return textResult("%d roots", len(r.Roots)), nil
		}
		return round("", mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}})
	})
	for _, name := range []string{"request_state", "tampered_state"} {
		f.tool(prefix+name, func(_ context.Context, req callRequest) (callResult, error) {
			switch state := req.Params.RequestState; {
			case state != "" && state != name:
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid requestState"}
			case state != "" && entered(req.Params.InputResponses, "confirm") != nil:
				return textResult("state-ok"), nil
			}
			return round(name, mcp.InputRequestMap{"confirm": asking("ok", "boolean")})
		})
	}
	all := func() mcp.InputRequestMap {
		return mcp.InputRequestMap{"user_name": asking("name", "string"), "greeting": samplingOf("Greet"),
			"client_roots": &mcp.ListRootsParams{}}
	}
	f.tool(prefix+"multiple_inputs", func(_ context.Context, req callRequest) (callResult, error) {
		for name := range all() {
			if req.Params.InputResponses[name] == nil {
				return round("multiple", all())
			}
		}
		return textResult("Complete"), nil
	})
	f.tool(prefix+"multi_round", func(_ context.Context, req callRequest) (callResult, error) {
		switch req.Params.RequestState {
		case "":
			return round("1", mcp.InputRequestMap{"step1": asking("name", "string")})
		case "1":
			return round("2", mcp.InputRequestMap{"step2": asking("color", "string")})
		}
		return textResult("Complete"), nil
	})
	f.tool(prefix+"capabilities", func(_ context.Context, req callRequest) (callResult, error) {
		asked, c := all(), req.ClientCapabilities()
		if c == nil || c.Elicitation == nil {
			delete(asked, "user_name")
		}
		if c == nil || c.Sampling == nil {
			delete(asked, "greeting")
		}
		if c == nil || c.RootsV2 == nil {
			delete(asked, "client_roots")
		}
		if len(asked) == 0 || len(req.Params.InputResponses) > 0 {
			return textResult("Complete"), nil
		}
		return round("", asked)
	})
}

func (f fixture) addResources() {
	read := func(kind, text string, blob []byte) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: kind,
				Text: strings.ReplaceAll(text, "{id}", id), Blob: blob}}}, nil
		}
	}
	f.AddResource(&mcp.Resource{Name: "static-text", Description: "Text", MIMEType: "text/plain", URI: "test://static-text"},
		read("text/plain", "This is the content of the static text resource.", nil))
	f.AddResource(&mcp.Resource{Name: "static-binary", Description: "Image", MIMEType: "image/png",
		URI: "test://static-binary"}, read("image/png", "", onePixel))
	f.AddResource(&mcp.Resource{Name: "watched", Description: "Watched", MIMEType: "text/plain",
		URI: "test://watched-resource"}, read("text/plain", "Watched", nil))
	f.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", Description: "Template", MIMEType: "application/json",
		URITemplate: "test://template/{id}/data"},
		read("application/json", `{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}`, nil))
}

// prompt adds a prompt with arguments and constant contents, in which {name} is an argument.
func (f fixture) prompt(name string, arguments []string, contents []mcp.Content) {
	p := &mcp.Prompt{Name: name, Description: "Fixture " + name}
	for _, a := range arguments {
		p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Description: "Argument " + a, Required: true})
	}
	f.AddPrompt(p, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		res := &mcp.GetPromptResult{Description: p.Description}
		for _, c := range contents {
			switch content := c.(type) {
			case *mcp.TextContent:
				text := content.Text
				for name, v := range req.Params.Arguments {
					text = strings.ReplaceAll(text, "{"+name+"}", v)
				}
				c = &mcp.TextContent{Text: text}
			case *mcp.EmbeddedResource:
				c = embedded(req.Params.Arguments["resourceUri"], "text/plain", content.Resource.Text)
			}
			res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user", Content: c})
		}
		return res, nil
	})
}

func (f fixture) addPrompts() {
	text := func(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }
	f.prompt("test_simple_prompt", nil, []mcp.Content{text("This is a simple prompt for testing.")})
	f.prompt("test_prompt_with_arguments", []string{"arg1", "arg2"},
		[]mcp.Content{text("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")})
	f.prompt("test_prompt_with_embedded_resource", []string{"resourceUri"},
		[]mcp.Content{embedded("", "", "Embedded resource content for testing."), text("Process the resource.")})
	f.prompt("test_prompt_with_image", nil,
		[]mcp.Content{&mcp.ImageContent{Data: onePixel, MIMEType: "image/png"}, text("Analyze the image.")})
	f.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Fixture"},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if c := entered(req.Params.InputResponses, "user_context"); c != nil {
				return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
					{Role: "user", Content: text(fmt.Sprint("Context: ", c["context"]))},
				}}, nil
			}
			return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": asking("context", "string")}}, nil
		})
}
