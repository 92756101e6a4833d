package org.mcpcensus.census.params;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Conditions on servers; all must match. A condition is of {@link Condition}; a text, number or
 * Boolean means equal.
 */
public final class Filters {
    private final Map<String, Condition> conditions;

    private Filters(Builder builder) {
        this.conditions = Collections.unmodifiableMap(new LinkedHashMap<>(builder.conditions));
    }

    /** Returns a builder without conditions. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the conditions by the names of the fields in the API, in the form of the API. */
    public Map<String, Object> toMap() {
        Map<String, Object> form = new LinkedHashMap<>();
        conditions.forEach((name, condition) -> form.put(name, condition.value()));
        return form;
    }

    /** Returns the conditions in the form of the API. */
    @Override
    public String toString() {
        return "Filters" + toMap();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Filters && conditions.equals(((Filters) other).conditions);
    }

    @Override
    public int hashCode() {
        return conditions.hashCode();
    }

    /** Builds Filters. */
    public static final class Builder {
        private final Map<String, Condition> conditions = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Sets the condition of a field that this version has no method for.
         *
         * @param field its name in the API
         */
        public Builder field(String field, Condition condition) {
            conditions.put(Objects.requireNonNull(field, "field"),
                    Objects.requireNonNull(condition, field));
            return this;
        }

        /** Condition on the category: see {@link org.mcpcensus.census.model.Category}. */
        public Builder category(Condition condition) {
            return field("category", condition);
        }

        /** The category is equal to the value. */
        public Builder category(String value) {
            return field("category", Condition.is(value));
        }

        /** Condition on the sdk: see {@link org.mcpcensus.census.model.Sdk}. */
        public Builder sdk(Condition condition) {
            return field("sdk", condition);
        }

        /** The sdk is equal to the value. */
        public Builder sdk(String value) {
            return field("sdk", Condition.is(value));
        }

        /** Condition on the language. */
        public Builder language(Condition condition) {
            return field("language", condition);
        }

        /** The language is equal to the value. */
        public Builder language(String value) {
            return field("language", Condition.is(value));
        }

        /** Condition on the framework. */
        public Builder framework(Condition condition) {
            return field("framework", condition);
        }

        /** The framework is equal to the value. */
        public Builder framework(String value) {
            return field("framework", Condition.is(value));
        }

        /** Condition on the tags. */
        public Builder tags(Condition condition) {
            return field("tags", condition);
        }

        /** The tags is equal to the value. */
        public Builder tags(String value) {
            return field("tags", Condition.is(value));
        }

        /** Condition on the license. */
        public Builder license(Condition condition) {
            return field("license", condition);
        }

        /** The license is equal to the value. */
        public Builder license(String value) {
            return field("license", Condition.is(value));
        }

        /** Condition on the transport: see {@link org.mcpcensus.census.model.Transport}. */
        public Builder transport(Condition condition) {
            return field("transport", condition);
        }

        /** The transport is equal to the value. */
        public Builder transport(String value) {
            return field("transport", Condition.is(value));
        }

        /** Condition on the type: remote or package. */
        public Builder type(Condition condition) {
            return field("type", condition);
        }

        /** The type is equal to the value. */
        public Builder type(String value) {
            return field("type", Condition.is(value));
        }

        /** Condition on the liveness: see {@link org.mcpcensus.census.model.Liveness}. */
        public Builder liveness(Condition condition) {
            return field("liveness", condition);
        }

        /** The liveness is equal to the value. */
        public Builder liveness(String value) {
            return field("liveness", Condition.is(value));
        }

        /** Condition on the registry type. */
        public Builder registryType(Condition condition) {
            return field("registryType", condition);
        }

        /** The registry type is equal to the value. */
        public Builder registryType(String value) {
            return field("registryType", Condition.is(value));
        }

        /** Condition on the owner. */
        public Builder owner(Condition condition) {
            return field("owner", condition);
        }

        /** The owner is equal to the value. */
        public Builder owner(String value) {
            return field("owner", Condition.is(value));
        }

        /** Condition on the source. */
        public Builder source(Condition condition) {
            return field("source", condition);
        }

        /** The source is equal to the value. */
        public Builder source(String value) {
            return field("source", Condition.is(value));
        }

        /** Condition on the status: see {@link org.mcpcensus.census.model.Status}. */
        public Builder status(Condition condition) {
            return field("status", condition);
        }

        /** The status is equal to the value. */
        public Builder status(String value) {
            return field("status", Condition.is(value));
        }

        /** Condition on the grade: see {@link org.mcpcensus.census.model.Grade}. */
        public Builder grade(Condition condition) {
            return field("grade", condition);
        }

        /** The grade is equal to the value. */
        public Builder grade(String value) {
            return field("grade", Condition.is(value));
        }

        /** Condition on the tools. */
        public Builder tools(Condition condition) {
            return field("tools", condition);
        }

        /** The tools is equal to the value. */
        public Builder tools(String value) {
            return field("tools", Condition.is(value));
        }

        /** Condition on the official. */
        public Builder official(Condition condition) {
            return field("official", condition);
        }

        /** The official is equal to the value. */
        public Builder official(boolean value) {
            return field("official", Condition.is(value));
        }

        /** Condition on the verified. */
        public Builder verified(Condition condition) {
            return field("verified", condition);
        }

        /** The verified is equal to the value. */
        public Builder verified(boolean value) {
            return field("verified", Condition.is(value));
        }

        /** Condition on the copy. */
        public Builder copy(Condition condition) {
            return field("copy", condition);
        }

        /** The copy is equal to the value. */
        public Builder copy(boolean value) {
            return field("copy", Condition.is(value));
        }

        /** Condition on the archived. */
        public Builder archived(Condition condition) {
            return field("archived", condition);
        }

        /** The archived is equal to the value. */
        public Builder archived(boolean value) {
            return field("archived", Condition.is(value));
        }

        /** Condition on the quality score. */
        public Builder qualityScore(Condition condition) {
            return field("qualityScore", condition);
        }

        /** The quality score is equal to the value. */
        public Builder qualityScore(long value) {
            return field("qualityScore", Condition.is(value));
        }

        /** The health score is at least the value. */
        public Builder minScore(long value) {
            return field("minScore", Condition.is(value));
        }

        /** Condition on the popularity. */
        public Builder popularity(Condition condition) {
            return field("popularity", condition);
        }

        /** The popularity is equal to the value. */
        public Builder popularity(long value) {
            return field("popularity", Condition.is(value));
        }

        /** Condition on the stars. */
        public Builder stars(Condition condition) {
            return field("stars", condition);
        }

        /** The stars is equal to the value. */
        public Builder stars(long value) {
            return field("stars", Condition.is(value));
        }

        /** Condition on the downloads. */
        public Builder downloads(Condition condition) {
            return field("downloads", condition);
        }

        /** The downloads is equal to the value. */
        public Builder downloads(long value) {
            return field("downloads", Condition.is(value));
        }

        /** Condition on the tool count. */
        public Builder toolCount(Condition condition) {
            return field("toolCount", condition);
        }

        /** The tool count is equal to the value. */
        public Builder toolCount(long value) {
            return field("toolCount", Condition.is(value));
        }

        /** Condition on the tool tokens. */
        public Builder toolTokens(Condition condition) {
            return field("toolTokens", condition);
        }

        /** The tool tokens is equal to the value. */
        public Builder toolTokens(long value) {
            return field("toolTokens", Condition.is(value));
        }

        /** Condition on the updated at. */
        public Builder updatedAt(Condition condition) {
            return field("updatedAt", condition);
        }

        /** Condition on the created at. */
        public Builder createdAt(Condition condition) {
            return field("createdAt", condition);
        }

        /** Returns the filters. The builder may be used again. */
        public Filters build() {
            return new Filters(this);
        }
    }
}
