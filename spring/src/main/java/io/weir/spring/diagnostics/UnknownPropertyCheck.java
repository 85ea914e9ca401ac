package io.weir.spring.diagnostics;

import io.weir.spring.MisconfiguredException;
import io.weir.text.DidYouMean;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds unknown settings where Spring Boot does not look for them. Settings of the whole machine
 * may be for other programs. A system property close to one of ours stops the start, and one with
 * only our prefix logs a warning. A similar environment variable logs a warning.
 */
public final class UnknownPropertyCheck {
  private static final System.Logger LOG = System.getLogger("io.weir.spring");
  private static final String SYSTEM = StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME;

  private UnknownPropertyCheck() {}

  public static void check(ConfigurableEnvironment environment) {
    if (environment.getPropertySources().contains(SYSTEM)) {
      environment.getSystemProperties().keySet().stream()
          .filter(name -> name.startsWith("weir.") && !PropertyNames.has(name))
          .forEach(UnknownPropertyCheck::require);
    }
    suspicious(environment.getSystemEnvironment().keySet())
        .forEach(each -> LOG.log(System.Logger.Level.WARNING, each));
  }

  private static void require(String name) {
    if (!DidYouMean.of(name, PropertyNames.ALL).isEmpty()) {
      throw new MisconfiguredException(message(name), ACTION);
    }
    LOG.log(System.Logger.Level.WARNING, message(name));
  }

  static final String ACTION =
      "Correct the name, or remove it; docs/reference/spring.md lists all properties.";

  /** The message for an unknown property. */
  static String message(String name) {
    return "There is no property '" + name + "'" + DidYouMean.of(name, PropertyNames.ALL);
  }

  /** The warnings for variables that resemble settings. */
  public static List<String> suspicious(Collection<String> variables) {
    List<String> known = PropertyNames.ofEnvironment();
    List<String> warnings = new ArrayList<>();
    for (String each : variables) {
      String name = each.replaceAll("_\\d+$", "");
      String plain = name.replace("_", "");
      boolean isKnown = known.stream().anyMatch(one -> one.replace("_", "").equals(plain));
      if (name.startsWith("WEIR_") && !isKnown) {
        String meant = DidYouMean.of(name, known);
        if (!meant.isEmpty()) {
          warnings.add("the environment's " + each + " is not a setting of Weir" + meant);
        }
      }
    }
    return warnings;
  }
}
