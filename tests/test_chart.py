"""The chart for Kubernetes: rendered by Helm, valid by the schemas of Kubernetes, the same processes as in compose."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.test_compose import SECRETS, services

ROOT = Path(__file__).resolve().parent.parent
CHART = ROOT / "deploy" / "docintel"
HELM = Path(sys.executable).parent / "helm"
OLDEST, NEWEST = "1.27.0", "1.33.0"  # the oldest that Chart.yaml takes
NEEDED = (
    *("image.repository=registry.example.org/docintel", "image.tag=v1"),
    *("secretName=of-ours", "host=papers.example.org"),
)
SCALED = ("autoscaling.enabled=true", "autoscaling.prometheusAddress=http://prometheus:9090")
WITH_TLS = ("ingress.tlsSecretName=certificate", "storage.existingClaim=files")
# In one Secret each process has the address of the database that is its own, under the name it reads.
OF_SERVERS = {"POSTGRES_PASSWORD": "OWNER_DATABASE_URL", "REDIS_PASSWORD": "REDIS_URL"}
OPTIONAL = sorted(SECRETS.keys() - OF_SERVERS.keys() - {"DOCINTEL_APP_PASSWORD", "DOCINTEL_SECRET_KEY"})

pytestmark = pytest.mark.skipif(not HELM.exists(), reason="the package that carries Helm has no file for this machine")


def helm(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([HELM, *arguments], capture_output=True, text=True, check=False, timeout=60)


def render(*chosen: str, version: str = NEWEST) -> list[dict[str, Any]]:
    """What an installation called "ours" would be made of."""
    values = [part for value in chosen for part in ("--set", value)]
    done = helm("template", "ours", str(CHART), "--kube-version", version, *values)
    assert done.returncode == 0, done.stderr
    return [found for found in yaml.safe_load_all(done.stdout) if found]


def pods(made: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The pod of each process, by the process's name."""
    return {
        found["metadata"]["name"].removeprefix("ours-"): found["spec"]["template"]["spec"]
        for found in made
        if found["kind"] in ("Deployment", "Job")
    }


def with_secrets() -> dict[str, dict[str, Any]]:
    return pods(render(*NEEDED, f"optionalSecrets={{{','.join(OPTIONAL)}}}"))


def keys_given(pod: dict[str, Any]) -> set[str]:
    """The keys of the Secret that a pod is given."""
    environment = pod["containers"][0]["env"]
    return {each["valueFrom"]["secretKeyRef"]["key"] for each in environment if "valueFrom" in each}


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("chosen", [(), SCALED, WITH_TLS])
def test_what_it_makes_is_valid(chosen: tuple[str, ...], version: str) -> None:
    made = render(*NEEDED, *chosen, version=version)
    kinds = {found["kind"] for found in made}
    assert {"Deployment", "Job", "Service", "Ingress", "PodDisruptionBudget"} <= kinds
    assert ("PersistentVolumeClaim" in kinds) == ("storage.existingClaim=files" not in chosen)
    for found in made:
        if found["apiVersion"] != "keda.sh/v1alpha1":  # a kind of an extension, which has no schema here
            kubernetes_validate.validate(found, version, strict=True)
    names = [(found["kind"], found["metadata"]["name"]) for found in made]
    assert sorted(set(names)) == sorted(names)


def test_its_own_linter_finds_nothing() -> None:
    values = [part for value in NEEDED for part in ("--set", value)]
    done = helm("lint", "--strict", str(CHART), *values)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("missing", NEEDED)
def test_what_is_needed_and_missing_is_named(missing: str) -> None:
    values = [part for value in NEEDED if value != missing for part in ("--set", value)]
    done = helm("template", "ours", str(CHART), *values)
    assert done.returncode and f"\n- {missing.partition('=')[0]}:" in done.stderr


@pytest.mark.parametrize("name", [*OPTIONAL, "DATABASE_URL", "REDIS_URL", "DOCINTEL_SECRET_KEY"])
def test_no_secret_can_stand_among_the_values(name: str) -> None:
    values = [part for value in (*NEEDED, f"settings.{name}=hunter2") for part in ("--set", value)]
    done = helm("template", "ours", str(CHART), *values)
    assert done.returncode and "hunter2" not in done.stdout


def test_its_processes_are_those_of_compose() -> None:
    there = {name: service for name, service in services().items() if "build" in service}
    here = pods(render(*NEEDED))
    assert here.keys() == there.keys()
    for name, service in there.items():
        command = " ".join(here[name]["containers"][0]["command"])
        if name == "web":  # compose leaves it to the image
            listed = re.findall(r"^CMD (\[.*\])$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
            assert here[name]["containers"][0]["command"] == yaml.safe_load(listed[0])
        else:
            assert command == " ".join(service["command"].split()).replace('"', "")
        memory = here[name]["containers"][0]["resources"]["limits"]["memory"]
        assert memory.lower() in (f"{service['mem_limit']}i", f"{service['mem_limit'][:-1]}mi")


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_in_the_pods_that_need_it_and_in_no_other(secret: str) -> None:
    given = {name for name, pod in with_secrets().items() if OF_SERVERS.get(secret, secret) in keys_given(pod)}
    # Of the role's password only `prepare` needs more than the address it is part of.
    expected = {"prepare"} if secret == "DOCINTEL_APP_PASSWORD" else SECRETS[secret] - {"database", "broker"}
    assert given == expected


def test_only_what_migrates_and_keeps_signs_in_as_the_owner_of_the_database() -> None:
    keys = {name: keys_given(pod) & {"DATABASE_URL", "OWNER_DATABASE_URL"} for name, pod in with_secrets().items()}
    assert {name for name, found in keys.items() if "OWNER_DATABASE_URL" in found} == {"prepare", "keeper"}
    assert keys.pop("scheduler") == set() and all(len(found) == 1 for found in keys.values())


def test_a_secret_nobody_has_is_asked_of_nobody() -> None:
    assert set().union(*(keys_given(pod) for pod in pods(render(*NEEDED)).values())) == {
        *("DATABASE_URL", "OWNER_DATABASE_URL", "REDIS_URL", "DOCINTEL_APP_PASSWORD", "DOCINTEL_SECRET_KEY")
    }


def test_the_web_is_told_of_keys_that_it_does_not_get() -> None:
    told = {each["name"]: each.get("value") for each in with_secrets()["web"]["containers"][0]["env"]}
    assert [told[name] for name in ("DOCINTEL_EMBEDDING_API_KEY", "VOYAGE_API_KEY", "DOCINTEL_RERANK_API_KEY")] == [
        "set"
    ] * 3


def test_every_pod_does_without_what_it_need_not_have() -> None:
    for name, pod in pods(render(*NEEDED)).items():
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 10001, name
        assert pod["containers"][0]["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name
        has_files = any("persistentVolumeClaim" in volume for volume in pod["volumes"])
        assert has_files == (name != "scheduler"), name


def test_each_process_is_watched() -> None:
    for name, pod in pods(render(*NEEDED)).items():
        container = pod["containers"][0]
        if name == "web":
            probes = {name: probe["httpGet"]["path"] for name, probe in container.items() if name.endswith("Probe")}
            assert probes == {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
        elif "worker" in container["command"]:
            node = container["command"][container["command"].index("-n") + 1].partition("@")[0]
            assert f"-d {node}@$HOSTNAME" in container["livenessProbe"]["exec"]["command"][-1]


def test_workers_grow_by_their_queue_and_the_others_do_not() -> None:
    made = render(*NEEDED, *SCALED)
    scaled = {found["spec"]["scaleTargetRef"]["name"]: found for found in made if found["kind"] == "ScaledObject"}
    deployments = {found["metadata"]["name"]: found["spec"] for found in made if found["kind"] == "Deployment"}
    assert scaled.keys() == {f"ours-{name}" for name in ("worker", "embedder", "asker", "searcher")}
    for name, found in scaled.items():
        [trigger] = found["spec"]["triggers"]
        queue = re.findall(r'^max\(docintel_queue_messages\{queue="(\w+)"\}\)$', trigger["metadata"]["query"])[0]
        command = deployments[name]["template"]["spec"]["containers"][0]["command"]
        assert queue in command[command.index("-Q") + 1].split(",")
        assert "replicas" not in deployments[name]  # else each upgrade would set them back
    assert deployments["ours-scheduler"]["replicas"] == deployments["ours-keeper"]["replicas"] == 1


def test_with_a_certificate_the_site_knows_that_it_is_reached_by_https() -> None:
    made = render(*NEEDED, *WITH_TLS, "settings.DOCINTEL_MODEL=large")
    told = {each["name"]: each.get("value") for each in pods(made)["web"]["containers"][0]["env"]}
    assert (told["DOCINTEL_HTTPS"], told["DOCINTEL_TRUSTED_ORIGINS"]) == ("true", "https://papers.example.org")
    assert (told["DOCINTEL_ALLOWED_HOSTS"], told["DOCINTEL_MODEL"]) == ("papers.example.org", "large")
    [ingress] = [found for found in made if found["kind"] == "Ingress"]
    assert ingress["spec"]["tls"] == [{"hosts": ["papers.example.org"], "secretName": "certificate"}]
