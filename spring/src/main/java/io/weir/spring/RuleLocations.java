package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.file.InlineRules;
import io.weir.rules.file.RuleInputs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.core.io.FileSystemResourceLoader;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ResourceUtils;
import org.springframework.util.StringUtils;

/** Finds the rules that the properties configure. */
final class RuleLocations {
  static final String INLINE = "weir.rules";

  private final ResourceLoader resources;
  private final List<Path> paths = new ArrayList<>();
  private final List<InlineRules> inlineRules = new ArrayList<>();

  private RuleLocations(ClassLoader classes) {
    FileSystemResourceLoader loader = new FileSystemResourceLoader();
    loader.setClassLoader(classes);
    resources = loader;
  }

  /** All sources of rules; empty if none is configured. */
  static RuleInputs of(WeirProperties properties, ClassLoader classes) {
    RuleLocations found = new RuleLocations(classes);
    String inline = properties.rules();
    if (StringUtils.hasText(inline)) {
      found.inlineRules.add(new InlineRules(INLINE, inline.getBytes(UTF_8)));
    }
    properties.rulesLocation().forEach(found::add);
    return new RuleInputs(found.paths, found.inlineRules, properties.failurePolicy());
  }

  /** Watches files; resources within a jar cannot change. */
  private void add(String location) {
    if (!ResourceUtils.isUrl(location)) {
      Path path = Path.of(location);
      if (!Files.exists(path)) {
        throw missing(location);
      }
      paths.add(path);
      return;
    }
    Resource resource = resources.getResource(location);
    if (!resource.exists()) {
      throw missing(location);
    }
    try {
      if (resource.isFile()) {
        paths.add(resource.getFile().toPath());
      } else {
        inlineRules.add(new InlineRules(location, resource.getContentAsByteArray()));
      }
    } catch (IOException e) {
      throw new MisconfiguredException(
          "The rules at '" + location + "' cannot be read: " + e.getMessage(),
          "Make them readable, or correct 'weir.rules-location'.");
    }
  }

  private static MisconfiguredException missing(String location) {
    return new MisconfiguredException(
        "There are no rules at '" + location + "', which 'weir.rules-location' names.",
        "Create them there, or correct 'weir.rules-location': a path of a file or a directory, or"
            + " 'classpath:rules.yaml' for src/main/resources/rules.yaml.");
  }
}
