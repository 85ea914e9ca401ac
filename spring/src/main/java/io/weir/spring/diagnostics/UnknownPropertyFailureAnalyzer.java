package io.weir.spring.diagnostics;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Suggests the intended property for an unknown one. Ordered before Spring Boot's analyzer, which
 * only reports that the property is unknown.
 */
@Order(0)
final class UnknownPropertyFailureAnalyzer
    extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {
  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable failure, UnboundConfigurationPropertiesException cause) {
    String description =
        cause.getUnboundProperties().stream()
            .filter(each -> each.getName().toString().startsWith("weir."))
            .map(UnknownPropertyFailureAnalyzer::message)
            .collect(Collectors.joining(System.lineSeparator()));
    return description.isEmpty() ? null : new FailureAnalysis(description, action(cause), cause);
  }

  /** The usual mistake is to write rules as YAML right below the property. */
  private static String action(UnboundConfigurationPropertiesException cause) {
    boolean isOfRules =
        cause.getUnboundProperties().stream()
            .map(each -> each.getName().toString())
            .anyMatch(name -> name.startsWith("weir.rules[") || name.startsWith("weir.rules."));
    return isOfRules
        ? "'weir.rules' is a text in the form of a rules file: write 'weir.rules: |', with the bar, and"
            + " below it 'rules:' and the rules, or put them in a file that 'weir.rules-location'"
            + " names."
        : UnknownPropertyCheck.ACTION;
  }

  private static String message(ConfigurationProperty property) {
    String where = property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")";
    return UnknownPropertyCheck.message(property.getName().toString()) + where;
  }
}
