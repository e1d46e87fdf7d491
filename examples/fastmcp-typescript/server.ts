// MCP server of a kitchen: it finds recipes, converts quantities and keeps a shopping list.
import { FastMCP, UserError } from "fastmcp";
import { z } from "zod";

const recipes = [
  { name: "Pancakes", minutes: 20, ingredients: ["flour", "milk", "eggs"] },
  { name: "Tomato soup", minutes: 35, ingredients: ["tomatoes", "onion", "stock"] },
  { name: "Rice pudding", minutes: 45, ingredients: ["rice", "milk", "sugar"] },
];
const gramsPerCup: Record<string, number> = { flour: 120, rice: 190, sugar: 200 };
const shoppingList: string[] = [];

const server = new FastMCP({ name: "kitchen", version: "1.0.0" });

server.addTool({
  name: "find_recipes",
  description: "Find recipes that contain an ingredient. Returns their names, minutes and ingredients. Use it when somebody asks what to cook.",
  parameters: z.object({ ingredient: z.string().describe("One ingredient, e.g. 'milk'") }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  execute: async ({ ingredient }) =>
    JSON.stringify(recipes.filter((recipe) => recipe.ingredients.includes(ingredient.toLowerCase()))),
});

server.addTool({
  name: "cups_to_grams",
  description: "Convert cups of an ingredient to grams. Returns a number. Use it for quantities of American recipes.",
  parameters: z.object({
    ingredient: z.enum(["flour", "rice", "sugar"]).describe("What is measured, e.g. 'flour'"),
    cups: z.number().positive().describe("Number of cups, e.g. 1.5"),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  execute: async ({ ingredient, cups }) => String(cups * gramsPerCup[ingredient]),
});

server.addTool({
  name: "add_to_shopping_list",
  description: "Add an item to the shopping list. Use it when something must be bought.",
  parameters: z.object({ item: z.string().min(1).describe("What to buy, e.g. 'eggs'") }),
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  execute: async ({ item }) => {
    // Agents read the text of a UserError.
    if (shoppingList.includes(item)) throw new UserError(`${item} is already on the shopping list`);
    shoppingList.push(item);
    return `added ${item}`;
  },
});

server.addTool({
  name: "show_shopping_list",
  description: "Show everything on the shopping list. Use it before shopping.",
  parameters: z.object({}),
  annotations: { readOnlyHint: true, openWorldHint: false },
  execute: async () => JSON.stringify(shoppingList),
});

await server.start({ transportType: "stdio" });
