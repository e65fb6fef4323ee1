// Prints what kube-apiserver says of CustomResourceDefinitions in YAML files, and then of objects of them, by its own code:
// structural schema, CEL and its estimated cost, defaults, values. A second document of one name is an update of the first.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crds "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	limits "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// By API version and kind: the faults of an object that takes the place of `old`, if there is one.
var judges, known, blocking = map[string]func(now map[string]any, old any) field.ErrorList{}, map[string]any{}, []field.ErrorType{field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid}

func must[T any](value T, others ...any) T {
	if err := others[len(others)-1]; err != nil {
		panic(err)
	}
	return value
}

func define(now map[string]any, _ any) field.ErrorList {
	given, crd := v1.CustomResourceDefinition{}, apiextensions.CustomResourceDefinition{}
	must(0, yaml.UnmarshalStrict(must(yaml.Marshal(now)), &given))
	v1.SetObjectDefaults_CustomResourceDefinition(&given)
	must(0, v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&given, &crd, nil))
	crd.Status.StoredVersions = []string{crd.Spec.Versions[0].Name}
	if faults := crds.ValidateCustomResourceDefinition(context.Background(), &crd); len(faults) > 0 {
		return faults
	}
	structural := must(schema.NewStructural(crd.Spec.Validation.OpenAPIV3Schema))
	rules := cel.NewValidator(structural, true, limits.PerCallLimit)
	judges[crd.Spec.Group+"/"+crd.Spec.Versions[0].Name+crd.Spec.Names.Kind] = func(now map[string]any, old any) field.ErrorList {
		if unknown := pruning.PruneWithOptions(now, structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}); len(unknown) > 0 {
			return field.ErrorList{field.Forbidden(field.NewPath(strings.Join(unknown, ", ")), "unknown fields")}
		}
		defaulting.PruneNonNullableNullsWithoutDefaults(now, structural)
		defaulting.Default(now, structural)
		faults := append(validation.ValidateCustomResource(nil, now, must(validation.NewSchemaValidator(crd.Spec.Validation.OpenAPIV3Schema))), listtype.ValidateListSetsAndMaps(nil, structural, now)...)
		if rules != nil && slices.ContainsFunc(faults, func(fault *field.Error) bool { return slices.Contains(blocking, fault.Type) }) {
			return append(faults, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
		}
		broken, _ := rules.Validate(context.Background(), nil, structural, now, old, limits.RuntimeCELCostBudget)
		return append(faults, broken...)
	}
	return nil
}

func main() {
	judges[v1.SchemeGroupVersion.String()+"CustomResourceDefinition"] = define
	for _, path := range os.Args[1:] {
		for _, document := range bytes.Split(must(os.ReadFile(path)), []byte("\n---\n")) {
			if now := (&unstructured.Unstructured{}); yaml.Unmarshal(document, now) == nil && judges[now.GetAPIVersion()+now.GetKind()] != nil {
				name := fmt.Sprintf("%s: %s %s: ", path, now.GetKind(), now.GetName())
				faults := judges[now.GetAPIVersion()+now.GetKind()](now.Object, known[name])
				known[name] = now.Object
				fmt.Println(name + []string{"accepted", "refused"}[min(len(faults), 1)])
				for _, fault := range faults {
					fmt.Println(name + strings.ReplaceAll(fault.Error(), "\n", ""))
				}
			}
		}
	}
}
