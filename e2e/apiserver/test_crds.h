// CRDs for tests, in the style of ours but with one of each thing that a schema can say.
#pragma once

namespace muster::e2e {

constexpr const char* kGangCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gangs.test.dev}
spec:
  group: test.dev
  scope: Namespaced
  names: {kind: Gang, listKind: GangList, plural: gangs, singular: gang, shortNames: [tg]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    selectableFields: [{jsonPath: .spec.queue}]
    additionalPrinterColumns:
    - {name: Queue, type: string, jsonPath: .spec.queue}
    - {name: Min, type: integer, jsonPath: .spec.minMember}
    - {name: Active, type: string, jsonPath: '.status.conditions[?(@.type=="Active")].status'}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    - {name: Message, type: string, jsonPath: .status.message, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        x-kubernetes-validations:
        - {rule: size(self.metadata.name) <= 10, message: 'at most 10 characters'}
        - rule: >-
            !has(oldSelf.status) || !has(oldSelf.status.admission) ||
            (has(self.spec.queue) == has(oldSelf.spec.queue) &&
            (!has(self.spec.queue) || self.spec.queue == oldSelf.spec.queue))
          message: queue cannot change while admitted
          fieldPath: .spec.queue
          reason: FieldValueForbidden
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            properties:
              queue: {type: string, minLength: 1, maxLength: 8, pattern: '^[a-z]+$'}
              minMember: {type: integer, format: int32, minimum: 1, maximum: 100, default: 1}
              mode: {type: string, enum: [Hold, None], default: None}
              selector:
                type: object
                maxProperties: 2
                additionalProperties: {type: string, maxLength: 4}
              share:
                type: object
                default: {}
                properties:
                  weight: {type: integer, default: 3}
              resources:
                type: array
                maxItems: 3
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name, flavor]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    flavor: {type: string, default: ''}
                    quota:
                      x-kubernetes-int-or-string: true
                      anyOf: [{type: integer}, {type: string}]
                      minimum: 0
                      pattern: '^[0-9]+(Gi)?$'
              pair:
                type: object
                properties:
                  a: {type: boolean}
                  b: {type: boolean}
                x-kubernetes-validations:
                - {rule: has(self.a) == has(self.b), message: a and b go together}
          status:
            type: object
            properties:
              message: {type: string}
              admission: {type: object, properties: {queue: {type: string}}}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties:
                    type: {type: string}
                    status: {type: string}
                    reason: {type: string, minLength: 1}
                    lastTransitionTime: {type: string, format: date-time}
)";

constexpr const char* kGangs = "/apis/test.dev/v1/namespaces/default/gangs";

}  // namespace muster::e2e
