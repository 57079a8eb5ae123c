package io.txwatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** What a release consists of: which modules are published, and what their poms state. */
class PublishedModulesTest {

  private static final Path ROOT = Path.of("..");
  private static final Set<String> PUBLISHED =
      Set.of(
          "sql",
          "history",
          "changes",
          "analyzer",
          "kafka",
          "flink",
          "proxy-driver",
          "interleave",
          "agent",
          "junit",
          "spring-boot-starter",
          "fuzzer",
          "bom",
          "dist");

  @Test
  void otherModulesSkipDeployment() throws Exception {
    Set<String> deployed = new TreeSet<>();
    for (String module : modules()) {
      Element pom = pom(module);
      if (!text(pom, "properties", "maven.deploy.skip").equals("true")) {
        deployed.add(module);
      }
    }

    assertThat(deployed).containsExactlyInAnyOrderElementsOf(PUBLISHED);
  }

  @Test
  void bomManagesThePublishedModulesAtTheirVersion() throws Exception {
    Set<String> published = new TreeSet<>();
    for (String module : PUBLISHED) {
      if (!module.equals("bom")) {
        published.add(text(pom(module), "artifactId"));
      }
    }
    Element bom = pom("bom");
    List<String> managed = new ArrayList<>();
    for (Element dependency : children(child(child(bom, "dependencyManagement"), "dependencies"))) {
      assertThat(text(dependency, "groupId")).isEqualTo("io.txwatch");
      assertThat(text(dependency, "version")).isEqualTo("${project.version}");
      managed.add(text(dependency, "artifactId"));
    }

    assertThat(managed).containsExactlyInAnyOrderElementsOf(published);
    assertThat(text(bom, "version")).isEqualTo(text(pom("."), "version"));
  }

  @Test
  void eachModuleHasANameADescriptionAndAUniqueModuleName() throws Exception {
    List<String> moduleNames = new ArrayList<>();
    for (String module : modules()) {
      Element pom = pom(module);
      assertThat(text(pom, "name")).as("name of %s", module).startsWith("txwatch ");
      assertThat(text(pom, "description")).as("description of %s", module).endsWith(".");
      if (!text(pom, "packaging").equals("pom")) {
        moduleNames.add(text(pom, "properties", "module.name"));
      }
    }

    assertThat(moduleNames)
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("io\\.txwatch\\.[a-z]+"));
  }

  @Test
  void pomsWithoutAParentHaveTheRequiredMetadata() throws Exception {
    for (String module : List.of(".", "bom")) {
      Element pom = pom(module);
      assertThat(text(pom, "url")).startsWith("https://");
      assertThat(text(child(pom, "licenses"), "license", "url")).startsWith("https://");
      assertThat(text(child(pom, "developers"), "developer", "name")).isNotEmpty();
      assertThat(text(pom, "scm", "connection")).startsWith("scm:git:https://");
      assertThat(text(pom, "scm", "url")).startsWith("https://");
      assertThat(text(pom, "issueManagement", "url")).startsWith("https://");
    }
  }

  private static List<String> modules() throws Exception {
    return children(child(pom("."), "modules")).stream()
        .map(module -> module.getTextContent().strip())
        .toList();
  }

  private static Element pom(String module) throws Exception {
    Path file = ROOT.resolve(module).resolve("pom.xml");
    try (var in = Files.newInputStream(file)) {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(in)
          .getDocumentElement();
    }
  }

  private static Element child(Element parent, String name) {
    return children(parent).stream()
        .filter(child -> child.getTagName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<Element> children(Element parent) {
    List<Element> children = new ArrayList<>();
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element) {
        children.add(element);
      }
    }
    return children;
  }

  /** The text of the element at a path; empty if there is none. */
  private static String text(Element from, String... path) {
    Element at = from;
    for (String name : path) {
      List<Element> found =
          children(at).stream().filter(child -> child.getTagName().equals(name)).toList();
      if (found.isEmpty()) {
        return "";
      }
      at = found.get(0);
    }
    return at.getTextContent().strip();
  }
}
