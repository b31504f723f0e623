{{- define "docintel.labels" -}}
app.kubernetes.io/name: docintel
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "docintel.managed" -}}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "docintel.claim" -}}
{{ .Values.storage.existingClaim | default (printf "%s-data" .Release.Name) }}
{{- end }}

{{- define "docintel.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- /* One variable out of the Secret. */ -}}
{{- define "docintel.secret" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .root.Values.secretName }}, key: {{ .key | default .name }} } }
{{- end }}

{{- /* What every process is told; REDIS_URL is the only secret among it. */ -}}
{{- define "docintel.settings" -}}
{{ include "docintel.secret" (dict "root" .root "name" "REDIS_URL") }}
{{- /* Probes and the service reach a process by its address, the health checks before any name is looked at. */}}
{{- $https := ne .root.Values.ingress.tlsSecretName "" }}
{{- $told := dict "DOCINTEL_ALLOWED_HOSTS" .root.Values.host "DOCINTEL_HTTPS" $https "DOCINTEL_STOP_GRACE_S" 20 }}
{{- if $https }}
{{- $_ := set $told "DOCINTEL_TRUSTED_ORIGINS" (printf "https://%s" .root.Values.host) }}
{{- end }}
{{- range $name, $value := mergeOverwrite $told .root.Values.settings }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- /* What every pod does without, as in docker-compose.yml. */ -}}
{{- define "docintel.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: 30
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "docintel.container" -}}
image: {{ include "docintel.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources:
  requests: { memory: {{ .size.memory }}, cpu: {{ .size.cpu }} }
  limits: { memory: {{ .size.memory }} }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
{{- end }}

{{- define "docintel.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 1Gi }
- name: data
{{- if .hasNoFiles }}
  emptyDir: { sizeLimit: 64Mi }
{{- else }}
  persistentVolumeClaim: { claimName: {{ include "docintel.claim" .root }} }
{{- end }}
{{- end }}
