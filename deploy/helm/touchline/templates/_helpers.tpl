{{- define "touchline.labels" -}}
app.kubernetes.io/name: touchline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "touchline.allLabels" -}}
{{ include "touchline.labels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "touchline.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end }}

{{- define "touchline.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "touchline.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- /* The settings of every process; of: its own `env` and `secretEnv`. A second key is there only while one is rotated. */}}
{{- define "touchline.env" -}}
{{- $values := .root.Values -}}
{{- $own := .service | default dict -}}
{{- $env := merge (dict) ($own.env | default dict) $values.env (dict
  "KAFKA_BROKERS" (required "kafka.brokers: is not set and has no default" $values.kafka.brokers)
  "SCHEMA_REGISTRY_URL" (required "registry.url: is not set and has no default" $values.registry.url)
  "TOPIC_PREFIX" $values.kafka.topicPrefix
  "METRICS_PORT" "9464") -}}
{{- with $own.port -}}
{{- $_ := set $env .setting (toString .number) -}}
{{- $_ := set $env "DRAIN_MS" (mul $values.drainSeconds 1000 | toString) -}}
{{- end -}}
{{- if and (hasKey $env "UPSTREAM_BASE_URL") (not $env.UPSTREAM_BASE_URL) -}}
{{- $_ := set $env "UPSTREAM_BASE_URL" (printf "%s://%s-api:%v" (include "touchline.scheme" .root | lower) .root.Release.Name (index $values.services "api").port.number) -}}
{{- end -}}
{{- if $values.tls.secretName -}}
{{- $_ := set $env "HTTP_TLS_CERT_FILE" "/etc/touchline/tls/tls.crt" -}}
{{- $_ := set $env "HTTP_TLS_KEY_FILE" "/etc/touchline/tls/tls.key" -}}
{{- if and $values.tls.ca (hasKey $env "UPSTREAM_BASE_URL") -}}
{{- $_ := set $env "UPSTREAM_CA_FILE" (printf "/etc/touchline/tls/%s" $values.tls.ca) -}}
{{- end -}}
{{- end -}}
{{- with $values.rules.competitions -}}
{{- $_ := set $env "RULES_DIR" "/etc/touchline/rules" -}}
{{- end -}}
{{- with $values.rules.alerts -}}
{{- $_ := set $env "ALERT_RULES_FILE" "/etc/touchline/alerts/alert-rules.json" -}}
{{- end -}}
{{- range $name, $value := $env }}
- name: {{ $name }}
  value: {{ toString $value | quote }}
{{- end }}
{{- range $name, $key := merge (dict) ($own.secretEnv | default dict) $values.secretEnv }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $values.secretName }}
      key: {{ $key }}
      {{- if or $own.secretsOptional (hasSuffix "_SECOND" $name) }}
      optional: true
      {{- end }}
{{- end }}
{{- end }}

{{- /* Of every server of a pod. */}}
{{- define "touchline.scheme" -}}
{{ ternary "HTTPS" "HTTP" (ne .Values.tls.secretName "") }}
{{- end }}

{{- define "touchline.mounts" -}}
- {name: data, mountPath: /data}
- {name: tmp, mountPath: /tmp}
{{- if .Values.tls.secretName }}
- {name: tls, mountPath: /etc/touchline/tls, readOnly: true}
{{- end }}
{{- with .Values.rules.competitions }}
- {name: rules, mountPath: /etc/touchline/rules, readOnly: true}
{{- end }}
{{- with .Values.rules.alerts }}
- {name: alert-rules, mountPath: /etc/touchline/alerts, readOnly: true}
{{- end }}
{{- range $name, $_ := .Values.files }}
- {name: {{ printf "file-%s" $name }}, mountPath: {{ printf "/etc/touchline/%s" $name }}, readOnly: true}
{{- end }}
{{- end }}

{{- define "touchline.volumes" -}}
{{- /* On disk: matches that leave memory are spilled to /tmp, views are built in /data. */ -}}
- {name: data, emptyDir: {}}
- {name: tmp, emptyDir: {}}
{{- with .Values.tls.secretName }}
- name: tls
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.rules.competitions }}
- name: rules
  configMap: {name: {{ . }}}
{{- end }}
{{- with .Values.rules.alerts }}
- name: alert-rules
  configMap: {name: {{ . }}}
{{- end }}
{{- range $name, $secret := .Values.files }}
- name: file-{{ $name }}
  secret: {secretName: {{ $secret }}, defaultMode: 0440}
{{- end }}
{{- end }}

{{- /* Rules of egress, as a list, to the addresses in `env` that are neither broker nor registry: who issues tokens, who collects traces. A
       policy knows no names: an address of IPv4 is the only one that is let out to, a name opens its port. */}}
{{- define "touchline.outside" -}}
{{- $policy := .root.Values.networkPolicy -}}
{{- $rules := list -}}
{{- range $setting, $peers := dict "KAFKA_SASL_TOKEN_URL" $policy.tokens "OTEL_EXPORTER_OTLP_ENDPOINT" $policy.traces -}}
{{- with get $.env $setting -}}
{{- $url := urlParse . -}}
{{- $port := splitList ":" $url.host | last -}}
{{- if not (regexMatch "^[0-9]+$" $port) }}{{ $port = eq $url.scheme "https" | ternary "443" "80" }}{{ end -}}
{{- $rule := dict "ports" (list (dict "protocol" "TCP" "port" (int $port))) -}}
{{- if $peers -}}
{{- $_ := set $rule "to" $peers -}}
{{- else if regexMatch "^[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+$" $url.hostname -}}
{{- $_ := set $rule "to" (list (dict "ipBlock" (dict "cidr" (printf "%s/32" $url.hostname)))) -}}
{{- end -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- toYaml $rules -}}
{{- end }}

{{- /* Where pods run and how they are seen; a service's own values go before those of all. */}}
{{- define "touchline.scheduling" -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "priorityClassName" -}}
{{- with get ($.service | default dict) $field | default (get $.root.Values $field) }}
{{ $field }}: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
